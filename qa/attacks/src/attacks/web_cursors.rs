use crate::crowd::ask;
use crate::http::get;
use crate::round::Round;
use crate::web_victim::create_game;
use serde_json::Value;

/// Cursors that were made up, changed or cut. They are signed: no other place of the table can be
/// read by them.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages()?;
    let address = server.address()?;
    for _ in 0..3 {
        create_game(address)?;
    }
    let list = |cursor: &str| {
        ask(address, &get(address, &format!("/snakes/games?limit=1&cursor={cursor}")))
            .map_err(|error| error.to_string())
    };
    let first = ask(address, &get(address, "/snakes/games?limit=1"));
    let first = first.map_err(|error| error.to_string())?.text();
    let first: Value = serde_json::from_str(&first).unwrap_or_default();
    let real = first.get("next").and_then(Value::as_str).ok_or("the list has no second page")?;
    let mut forged = vec!["a".to_owned(), "AAAA".repeat(50), "%00".to_owned(), "a".repeat(1024)];
    for place in (0..real.len()).step_by(7) {
        let change = |(index, c): (usize, char)| match (index == place, c) {
            (false, c) => c,
            (true, 'A') => 'B',
            (true, _) => 'A',
        };
        forged.push(real.chars().enumerate().map(change).collect());
        forged.push(real.get(..place).unwrap_or_default().to_owned() + "A");
    }
    let mut passed = Vec::new();
    round.attack_pages(&mut server, |_| {
        if list(real)?.status != 200 {
            return Err("the real cursor is refused".to_owned());
        }
        for cursor in forged.iter().filter(|cursor| *cursor != real) {
            let answer = list(cursor)?;
            if !(400..500).contains(&answer.status) {
                passed.push(format!("the cursor {cursor}: {}", answer.shown()));
            }
        }
        Ok(())
    })?;
    round.faults.extend(passed);
    Ok(())
}
