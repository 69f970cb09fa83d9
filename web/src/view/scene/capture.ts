// SPDX-License-Identifier: Apache-2.0
// Pictures and videos of the scene.
import { saveFile } from '../../shared/save_file';
import { Stage } from '../../shared/scene/stage';

export function saveScreenshot(stage: Stage, name: string): void {
  stage.drawFull();
  stage.canvas.toBlob((blob) => blob && saveFile(blob, `${name}.png`));
}

const kinds = ['video/mp4;codecs=avc1', 'video/webm;codecs=vp9', 'video/webm'];

export class Recorder {
  private recorder: MediaRecorder | null = null;

  constructor(private readonly stage: Stage) {}

  static get isPossible(): boolean {
    return typeof MediaRecorder !== 'undefined' && 'captureStream' in HTMLCanvasElement.prototype;
  }

  get isOn(): boolean {
    return this.recorder !== null;
  }

  start(): void {
    const type = kinds.find((kind) => MediaRecorder.isTypeSupported(kind)) ?? '';
    const stream = this.stage.canvas.captureStream(30);
    const pieces: Blob[] = [];
    this.recorder = new MediaRecorder(stream, {
      ...(type ? { mimeType: type } : {}),
      videoBitsPerSecond: 8e6,
    });
    this.recorder.ondataavailable = ({ data }) => pieces.push(data);
    this.recorder.onstop = () => {
      const ending = type.startsWith('video/mp4') ? 'mp4' : 'webm';
      saveFile(new Blob(pieces, { type: type || 'video/webm' }), `scene.${ending}`);
    };
    this.recorder.start(1000);
    this.stage.touch();
  }

  stop(): void {
    this.recorder?.stop();
    this.recorder = null;
  }
}
