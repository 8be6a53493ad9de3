/** Typed events between the parts of the page. */

export class Emitter<Events extends object> {
  private readonly listeners = new Map<keyof Events, Set<(value: never) => void>>();

  on<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): () => void {
    const found = this.listeners.get(name) ?? new Set();
    found.add(listener as (value: never) => void);
    this.listeners.set(name, found);
    return () => found.delete(listener as (value: never) => void);
  }

  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
    this.listeners.get(name)?.forEach((listener) => (listener as (value: Events[Name]) => void)(value));
  }
}
