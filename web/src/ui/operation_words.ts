/** What the studio says about an operation: its title, what stands where, what is missing before it can run. */

import type { OperationForm } from "../generated/messages";
import type { ParsedForm } from "./form_values";

export function titleOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ").replaceAll("_", " ");
}

/** Whether what comes out goes into the library; everything else is shown. */
export function makesClips(form: OperationForm): boolean {
  return form.gives === "clip" || form.gives === "clips";
}

/** What stands in place `index`, where an operation takes several different things. */
export function placeOf(form: OperationForm, index: number): string {
  return form.inputs.length > 1 ? (form.inputs[index] ?? "") : "";
}

/** What must still be chosen where the defaults alone do not run, empty when nothing must. */
export function needsOf(form: OperationForm, parsed: ParsedForm): string {
  return Object.keys(parsed.parameters).length === 0 ? form.needs : "";
}

/** Why an operation cannot run on this many clips yet, empty when it can. */
export function missingClips(form: OperationForm, clips: number): string {
  const title = titleOf(form.name);
  if (clips === 0) return form.takes === "clips" ? "Open the clips it should take." : "Open a clip first.";
  if (clips < form.least)
    return `${title} needs ${form.least} clips${form.most === form.least ? "" : " or more"}: press the plus of another one in the library, or hold Ctrl and click it.`;
  if (form.most > 0 && clips > form.most)
    return `${title} takes ${form.most === 1 ? "one clip" : `${form.most} clips`} at most: close ${clips - form.most} of them.`;
  return "";
}

/** Everything that keeps an operation from running, as one sentence; empty when nothing does. */
export function missingOf(form: OperationForm, clips: number, parsed: ParsedForm, writable: boolean): string {
  if (!writable && makesClips(form)) return "This library cannot be written.";
  const clipless = missingClips(form, clips);
  if (clipless) return clipless;
  const wrong = Object.keys(parsed.errors)[0];
  if (wrong !== undefined) {
    const field = form.parameters.find((one) => one.name === wrong);
    return `${field?.label ?? wrong}: ${parsed.errors[wrong]}`;
  }
  const needs = needsOf(form, parsed);
  return needs && `${needs.charAt(0).toUpperCase()}${needs.slice(1)}.`;
}
