// SPDX-License-Identifier: Apache-2.0
// What each key does.
import { Command } from './keys';
import { Shown, showable } from './scene/scene_view';
import { Direction } from '../shared/scene/stage';
import type { Viewer } from './viewer';

const showKeys: [string, keyof Shown][] = [
  ['v', 'visuals'],
  ['c', 'collisions'],
  ['x', 'frames'],
  ['d', 'devices'],
  ['t', 'trails'],
  ['g', 'plans'],
  ['b', 'labels'],
];

function timeCommands(viewer: Viewer): Command[] {
  const { clock } = viewer.context;
  const group = 'Time';
  const commands: Command[] = [
    { group, keys: [' '], words: 'play or pause', act: () => clock.toggle() },
    { group, keys: ['n'], words: 'next event', act: () => viewer.step(1) },
    { group, keys: ['p'], words: 'previous event', act: () => viewer.step(-1) },
    { group, keys: ['.'], words: 'next recorded pose', act: () => void viewer.stepRow(1) },
    { group, keys: [','], words: 'previous recorded pose', act: () => void viewer.stepRow(-1) },
    { group, keys: ['>'], words: 'faster', act: () => clock.changeSpeed(1) },
    { group, keys: ['<'], words: 'slower', act: () => clock.changeSpeed(-1) },
    { group, keys: ['Home'], words: 'start', act: () => clock.setTime(clock.start) },
    { group, keys: ['End'], words: 'end', act: () => clock.setTime(clock.end) },
    { group, keys: ['w'], words: 'worst deviation', act: () => viewer.goTo('worst') },
    {
      group,
      keys: ['['],
      words: 'loop from here',
      act: () => clock.setLoop(clock.time, clock.loop?.[1] ?? clock.end),
    },
    {
      group,
      keys: [']'],
      words: 'loop up to here',
      act: () => clock.setLoop(clock.loop?.[0] ?? clock.start, clock.time),
    },
    { group, keys: ['\\'], words: 'stop looping', act: () => clock.clearLoop() },
  ];
  if (viewer.context.isLive)
    commands.push({ group, keys: ['l'], words: 'follow the live run', act: () => clock.follow() });
  return commands;
}

function viewCommands({ stage, scene, tools }: Viewer): Command[] {
  const group = 'View';
  const directions: Direction[] = ['oblique', 'front', 'side', 'top'];
  const turn: Record<string, [number, number]> = {
    ArrowLeft: [-0.08, 0],
    ArrowRight: [0.08, 0],
    ArrowUp: [0, 0.06],
    ArrowDown: [0, -0.06],
  };
  return [
    {
      group,
      keys: Object.keys(turn),
      words: 'turn; with Shift move',
      act: ({ key, shiftKey }) => {
        const [x, y] = turn[key];
        if (shiftKey) stage.move(x / 2, y / 2);
        else stage.turn(x, y);
      },
    },
    { group, keys: ['+', '='], shown: '+', words: 'zoom in', act: () => stage.zoom(0.88) },
    { group, keys: ['-'], words: 'zoom out', act: () => stage.zoom(1 / 0.88) },
    { group, keys: ['0'], words: 'fit all', act: () => scene.fit() },
    ...directions.map((direction, i) => ({
      group,
      keys: [String(i + 1)],
      words: `look from: ${direction}`,
      act: () => stage.look(direction),
    })),
    { group, keys: ['o'], words: 'follow the next frame', act: () => tools.followNext() },
    { group, keys: ['m'], words: 'measure a distance', act: () => tools.toggleMeasure() },
    {
      group,
      keys: ['Enter'],
      words: 'measure: take the point in the middle of the view',
      act: () => tools.measureMiddle(),
    },
    { group, keys: ['s'], words: 'save a screenshot', act: () => tools.screenshot() },
    { group, keys: ['r'], words: 'record a video, or stop', act: () => tools.toggleRecord() },
    { group, keys: ['f'], words: 'frame rate', act: () => tools.toggleRate() },
  ];
}

export function commandsOf(viewer: Viewer): Command[] {
  const { tools, context } = viewer;
  const panels: [string, string, string][] = [
    ['5', 'signals', 'signals'],
    ['6', 'values', 'values at the shown time'],
    ['7', 'network', 'network'],
    ['q', 'sequence', 'sequence of calls or messages'],
    ['8', 'run', 'about the runs'],
    ['9', 'plots', 'plots'],
  ];
  return [
    ...timeCommands(viewer),
    ...viewCommands(viewer),
    ...showKeys.map(([key, what]) => ({
      group: 'Show or hide',
      keys: [key],
      words: showable[what].toLowerCase(),
      act: () => tools.toggleShown(what),
    })),
    ...context.runs.slice(0, 9).map(({ run, index, isVisible: _ }) => ({
      group: 'Show or hide',
      keys: [`Alt+${index + 1}`],
      words: context.runs.length > 1 ? `run “${run.label}”` : 'the run',
      act: () => context.setRunVisible(index, !context.runs[index].isVisible),
    })),
    {
      group: 'Panels',
      keys: ['/'],
      words: 'search signals',
      act: () => viewer.searchSignals(),
    },
    ...panels.map(([key, id, words]) => ({
      group: 'Panels',
      keys: [key],
      words,
      act: () => viewer.openPanel(id),
    })),
    {
      group: 'Panels',
      keys: ['k'],
      words: 'light or dark',
      act: () => viewer.themeButton.click(),
    },
    { group: 'Panels', keys: ['?'], words: 'this sheet', act: () => viewer.keys.toggleSheet() },
    ...mouseWords.map(([shown, words]) => ({
      group: 'Mouse and touch',
      keys: [],
      shown,
      words,
      act: () => {},
    })),
  ];
}

const mouseWords: [string, string][] = [
  ['drag', 'scene: turn; with the right button or two fingers: move'],
  ['wheel', 'scene: zoom; plot: zoom in time'],
  ['Shift+drag', 'time bar: choose a window to loop'],
  ['Shift+wheel', 'plot: move in time'],
  ['double-click', 'plot: show the whole time'],
];
