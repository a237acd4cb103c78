// Who this tab plays, in which game.
//
// A tab has a player of its own, so that two tabs can play each other: sessionStorage, which
// also survives a reload. So that a closed tab is not a lost player, the browser remembers all
// players that it has had, and another tab may go on as one of them.

const key = (code) => `snakes.${code}`;

/** The player of this tab: `{ id, name, secret }`, or null. */
export function mine(code) {
  return read(sessionStorage, key(code));
}

/** Makes this tab play a player. */
export function become(code, player) {
  write(sessionStorage, key(code), player);
  const others = remembered(code).filter((one) => one.id !== player.id);
  write(localStorage, key(code), [...others, player].slice(-8));
  write(localStorage, "snakes.name", player.name);
}

/** The player is no more. */
export function forget(code) {
  const player = mine(code);
  sessionStorage.removeItem(key(code));
  write(localStorage, key(code), remembered(code).filter((one) => one.id !== player?.id));
}

/** The players that this browser has had in a game. */
export function remembered(code) {
  return read(localStorage, key(code)) ?? [];
}

/** What the person at this browser was called last. */
export function lastName() {
  return read(localStorage, "snakes.name") ?? "";
}

function read(storage, name) {
  try {
    return JSON.parse(storage.getItem(name));
  } catch {
    return null;
  }
}

function write(storage, name, value) {
  try {
    storage.setItem(name, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing can still play, until the page is loaded anew.
  }
}
