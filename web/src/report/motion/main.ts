// SPDX-License-Identifier: Apache-2.0
// The part of the page that draws robots: kept apart and packed, because three.js is most of the page.
import { Player, PlayerParts } from './player';

export interface MotionScript {
  start(parts: PlayerParts): Promise<Player>;
  player: Player | null;
}

const script: MotionScript = {
  player: null,
  async start(parts) {
    script.player = new Player(parts);
    await script.player.start();
    return script.player;
  },
};
(window as unknown as { longarmMotion: MotionScript }).longarmMotion = script;
