// SPDX-License-Identifier: Apache-2.0
// Words in the scene: drawn into the picture itself, so that screenshots and videos have them, and always upright.
import { CanvasTexture, LinearFilter, Sprite, SpriteMaterial, Vector2 } from 'three';

import { Stage } from '../../shared/scene/stage';

const height = 18; // CSS pixels
const sharpness = 3;
const mostSpare = 100;

export interface LabelStyle {
  ink: string;
  paper: string | null;
  isRound?: boolean;
  isBold?: boolean;
}

function drawn(text: string, style: LabelStyle): { texture: CanvasTexture; ratio: number } {
  const canvas = document.createElement('canvas');
  const drawing = canvas.getContext('2d')!;
  const font = `${style.isBold ? 600 : 500} ${12 * sharpness}px system-ui, 'Noto Sans', sans-serif`;
  drawing.font = font;
  const pad = 5 * sharpness;
  const wide = Math.ceil(drawing.measureText(text).width) + 2 * pad;
  canvas.height = height * sharpness;
  canvas.width = style.isRound ? Math.max(canvas.height, wide) : wide;
  drawing.font = font;
  if (style.paper) {
    drawing.fillStyle = style.paper;
    drawing.beginPath();
    const radius = style.isRound ? canvas.height / 2 : 3 * sharpness;
    drawing.roundRect(0, 0, canvas.width, canvas.height, radius);
    drawing.fill();
  }
  drawing.fillStyle = style.ink;
  drawing.textAlign = 'center';
  drawing.textBaseline = 'middle';
  drawing.fillText(text, canvas.width / 2, canvas.height / 2 + sharpness);
  const texture = new CanvasTexture(canvas);
  texture.minFilter = LinearFilter;
  texture.generateMipmaps = false;
  texture.colorSpace = 'srgb';
  return { texture, ratio: canvas.width / canvas.height };
}

export class Labels {
  private readonly sprites = new Set<Sprite>();
  // that were dropped: names come and go many times a second
  private readonly spare = new Map<string, Sprite[]>();
  private spareCount = 0;

  constructor(private readonly stage: Stage) {
    stage.onResize(() => this.scale());
  }

  // `anchor`: which point of the label is at its place; (0.5, 0.5) is its middle.
  make(text: string, style: LabelStyle, anchor: [number, number] = [0.5, 0.5]): Sprite {
    const key = JSON.stringify([text, style, anchor]);
    const spare = this.spare.get(key)?.pop();
    if (spare) --this.spareCount;
    const sprite = spare ?? this.made(text, style, anchor);
    sprite.visible = true;
    sprite.userData.key = key;
    this.sprites.add(sprite);
    this.scaleOne(sprite);
    return sprite;
  }

  private made(text: string, style: LabelStyle, anchor: [number, number]): Sprite {
    const { texture, ratio } = drawn(text, style);
    const sprite = new Sprite(
      new SpriteMaterial({
        map: texture,
        sizeAttenuation: false,
        depthTest: false,
        depthWrite: false,
        transparent: true,
        toneMapped: false,
      }),
    );
    sprite.center = new Vector2(...anchor);
    sprite.renderOrder = 10;
    sprite.userData.ratio = ratio;
    return sprite;
  }

  drop(sprite: Sprite): void {
    this.sprites.delete(sprite);
    sprite.removeFromParent();
    if (this.spareCount < mostSpare) {
      const key = sprite.userData.key as string;
      this.spare.set(key, [...(this.spare.get(key) ?? []), sprite]);
      ++this.spareCount;
      return;
    }
    sprite.material.map?.dispose();
    sprite.material.dispose();
  }

  private scaleOne(sprite: Sprite): void {
    const unit = this.stage.pixelAtOneMetre() * height;
    sprite.scale.set(unit * (sprite.userData.ratio as number), unit, 1);
  }

  private scale(): void {
    for (const sprite of this.sprites) this.scaleOne(sprite);
  }
}
