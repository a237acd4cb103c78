// Tells a player that it is their turn, also when they look elsewhere: sound and vibration.

const KEY = "snakes.sound";
let audio = null;

/** Connects the check box that switches the sound on. It is off until somebody wants it. */
export function soundSwitch(input) {
  try {
    input.checked = localStorage.getItem(KEY) === "on";
  } catch {
    // A browser that keeps nothing starts without sound.
  }
  input.addEventListener("change", () => {
    try {
      localStorage.setItem(KEY, input.checked ? "on" : "off");
    } catch {
      // It is on until the page is loaded anew.
    }
    if (input.checked) chime();
  });
  return () => input.checked;
}

/** Says that it is this player's turn. */
export function signalTurn({ withSound }) {
  // Browsers refuse to vibrate before the page was touched.
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.([60, 60, 60]);
  if (withSound) chime();
}

/** Two short tones. */
function chime() {
  audio ??= new AudioContext();
  audio.resume().catch(() => {});
  for (const [start, pitch] of [[0, 660], [0.14, 880]]) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    const at = audio.currentTime + start;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(0.15, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.25);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.3);
  }
}
