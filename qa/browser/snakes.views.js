// The views of the pages of Snakes and Ladders.

/** Links within a sentence are as high as its lines. */
export const layout = { except: ":is(p a:not(.button), li a:not(.button)):not(.actions a, .snakes-open a)" };

export async function views(call) {
  const { game } = await call(null, "POST", "/games", { name: "Ann" });
  return {
    layout,
    views: [
      { name: "door", path: "/snakes", ready: "#open li" },
      { name: "joining", path: `/snakes/play/${game.code}`, ready: "#join-name" },
    ],
  };
}
