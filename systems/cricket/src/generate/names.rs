//! Names of players who do not exist.

use super::dice::Dice;

const FIRST: [&str; 32] = [
    "Ravi", "Tunde", "Amos", "Jonas", "Lwazi", "Kemal", "Dilan", "Harish", "Owen", "Pieter",
    "Sana", "Marek", "Ishan", "Colm", "Noel", "Bakari", "Emre", "Viktor", "Hamid", "Gareth",
    "Sefa", "Tomas", "Arjun", "Luca", "Femi", "Rhys", "Anil", "Kofi", "Darius", "Mikael", "Zane",
    "Yusuf",
];
const LAST: [&str; 40] = [
    "Iyer", "Okafor", "Mensah", "Brandt", "Moyo", "Aydin", "Perera", "Nair", "Price", "Visser",
    "Tahir", "Novak", "Reddy", "Byrne", "Walker", "Juma", "Demir", "Holm", "Karim", "Pugh", "Tui",
    "Svoboda", "Menon", "Rossi", "Adeyemi", "Morgan", "Gupta", "Boateng", "Rahimi", "Lund",
    "Naidoo", "Osman", "Fraser", "Silva", "Ode", "Clarke", "Haddad", "Joshi", "Keane", "Laker",
];

/// Eleven names, no two with the same last name. `used` has the indexes of last names taken.
pub(super) fn eleven(dice: &mut Dice, used: &mut Vec<usize>) -> Vec<String> {
    let mut names = Vec::with_capacity(11);
    while names.len() < 11 {
        let first = dice.below(FIRST.len() as u32) as usize;
        let last = dice.below(LAST.len() as u32) as usize;
        if used.contains(&last) {
            continue;
        }
        used.push(last);
        if let (Some(first), Some(last)) = (FIRST.get(first), LAST.get(last)) {
            names.push(format!("{first} {last}"));
        }
    }
    names
}
