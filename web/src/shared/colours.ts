// SPDX-License-Identifier: Apache-2.0
// How figures look, as longarm/record/figure_style.h says; build.mjs puts it in.
interface Colours {
  paper: string;
  reference: string;
  hues: string[]; // of a list
}
declare const FIGURE_STYLE: Record<'light' | 'dark', Colours> & {
  letter: number;
  tickAcross: number;
  tickUp: number;
  air: number;
  roomForWild: number;
  atRest: number;
  mostDrawn: number;
  planDashes: string;
};

export const style = FIGURE_STYLE;
export type Theme = 'light' | 'dark';
export const hues = { light: style.light.hues, dark: style.dark.hues };
