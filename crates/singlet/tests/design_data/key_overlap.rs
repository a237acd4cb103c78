//! The library decides analytically whether keys can be equal. These tests enumerate them: all
//! short templates against all texts over a small alphabet, and random templates against their own
//! keys.

use proptest::prelude::*;
use singlet::key::{Form, Segment, catches, is_ambiguous, overlaps};

/// A letter, a digit and the delimiter: the only classes that templates distinguish.
const ALPHABET: [&str; 3] = ["a", "1", "#"];
const PIECES_MAX: usize = 3;
/// Every character of a shortest common text advances one of the two templates by a piece
/// (otherwise it could be left out). Two readings of one template need one more character to
/// diverge.
const TEXT_SIZE_MAX: usize = 2 * PIECES_MAX + 1;

/// All lists of at most `len_max` elements.
fn lists<T: Copy>(of: &[T], len_max: usize) -> Vec<Vec<T>> {
    let mut all: Vec<Vec<T>> = vec![vec![]];
    let mut longest: Vec<Vec<T>> = vec![vec![]];
    for _ in 0..len_max {
        longest = longest
            .iter()
            .flat_map(|list| of.iter().map(|last| [list.as_slice(), &[*last]].concat()))
            .collect();
        all.extend_from_slice(&longest);
    }
    all
}

/// All ways to parse this text as a key of the template.
fn readings<'a>(template: &[Segment<'_>], text: &'a str) -> Vec<Vec<&'a str>> {
    let Some((first, rest)) = template.split_first() else {
        return if text.is_empty() { vec![vec![]] } else { vec![] };
    };
    let form = match first {
        Segment::Literal(literal) => {
            return text.strip_prefix(literal).map_or(vec![], |text| readings(rest, text));
        }
        Segment::Part { form, .. } => form,
    };
    let ends = (0..=text.len()).filter(|end| text.is_char_boundary(*end));
    let mut all = Vec::new();
    for end in ends {
        let (value, after) = text.split_at(end);
        if fits(*form, value) {
            for others in readings(rest, after) {
                all.push([&[value], others.as_slice()].concat());
            }
        }
    }
    all
}

fn fits(form: Form, value: &str) -> bool {
    let like = |picture: &str| {
        picture.len() == value.len()
            && picture.chars().zip(value.chars()).all(|(p, v)| match p {
                '0' => v.is_ascii_digit(),
                'f' => matches!(v, '0'..='9' | 'a'..='f'),
                _ => p == v,
            })
    };
    match form {
        Form::Without(byte) => !value.is_empty() && !value.contains(char::from(byte)),
        Form::Open => true,
        Form::Digits(width) => like(&"0".repeat(width.into())),
        Form::Timestamp => like("0000-00-00T00:00:00.000Z"),
        Form::TimestampNanos => like("0000-00-00T00:00:00.000000000Z"),
        Form::Date => like("0000-00-00"),
        Form::Uuid => like("ffffffff-ffff-ffff-ffff-ffffffffffff"),
    }
}

#[test]
fn answers_are_those_of_trying_all_texts() {
    let part = |form| Segment::part("part", form);
    let pieces = [part(Form::CLOSED), part(Form::Open), part(Form::Digits(1))];
    let pieces = [pieces.as_slice(), &ALPHABET.map(Segment::Literal)].concat();
    let templates = lists(&pieces, PIECES_MAX);
    let texts: Vec<String> =
        lists(&ALPHABET, TEXT_SIZE_MAX).iter().map(|letters| letters.concat()).collect();

    // The keys of each template, as a bitmap over all texts.
    let given: Vec<Vec<bool>> = templates
        .iter()
        .map(|template| {
            let readings: Vec<usize> =
                texts.iter().map(|text| readings(template, text).len()).collect();
            let two = readings.iter().any(|readings| *readings > 1);
            assert_eq!(is_ambiguous(template), two, "{template:?}");
            readings.iter().map(|readings| *readings > 0).collect()
        })
        .collect();
    // The texts that have a key of the template as a prefix.
    let begun: Vec<Vec<bool>> = given
        .iter()
        .map(|given| {
            let ours: std::collections::HashSet<&str> = texts
                .iter()
                .zip(given)
                .filter_map(|(text, is_given)| is_given.then_some(text.as_str()))
                .collect();
            let begins = |text: &String| (0..=text.len()).any(|end| ours.contains(&text[..end]));
            texts.iter().map(begins).collect()
        })
        .collect();

    let share = |one: &[bool], other: &[bool]| one.iter().zip(other).any(|(a, b)| *a && *b);
    for (one, (given_one, begun_one)) in templates.iter().zip(given.iter().zip(&begun)) {
        for (other, given_other) in templates.iter().zip(&given) {
            assert_eq!(overlaps(one, other), share(given_one, given_other), "{one:?} {other:?}");
            assert_eq!(catches(one, other), share(begun_one, given_other), "{one:?} {other:?}");
        }
    }
}

fn any_segment() -> impl Strategy<Value = Segment<'static>> {
    prop_oneof![
        prop::sample::select(vec!["SITE#", "#", "2026-01-31", "METADATA", "é", "00", "GAME"])
            .prop_map(Segment::Literal),
        prop::sample::select(vec![
            Form::CLOSED,
            Form::Open,
            Form::Digits(2),
            Form::Digits(4),
            Form::Timestamp,
            Form::TimestampNanos,
            Form::Date,
            Form::Uuid,
            Form::Without(b'|'),
        ])
        .prop_map(|form| Segment::part("part", form)),
    ]
}

/// A key of the template, with values that often cause problems.
fn key(template: &[Segment<'_>], choice: &[prop::sample::Index]) -> String {
    let mut choice = choice.iter().cycle();
    let mut pick =
        |values: &[&str]| choice.next().map_or("", |index| *index.get(values)).to_owned();
    let piece = |segment: &Segment<'_>| match segment {
        Segment::Literal(text) => (*text).to_owned(),
        Segment::Part { form, .. } => match form {
            Form::Without(b'|') => pick(&["1", "#", "SITE#1"]),
            Form::Without(_) => pick(&["1", "10", "2026-01-31", "METADATA", "é", "|"]),
            Form::Open => pick(&["", "#", "SITE#1", "2026-01-31", "é"]),
            Form::Digits(width) => pick(&["0000", "2026"])[..usize::from(*width)].to_owned(),
            Form::Timestamp => "2026-01-31T00:00:00.000Z".to_owned(),
            Form::TimestampNanos => "2026-01-31T00:00:00.000000000Z".to_owned(),
            Form::Date => "2026-01-31".to_owned(),
            Form::Uuid => pick(&[
                "00000000-0000-0000-0000-000000000000",
                "20260131-abcd-ef01-2345-6789abcdef01",
            ]),
        },
    };
    template.iter().map(piece).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Templates that share a key are reported as overlapping.
    #[test]
    fn a_key_that_two_templates_give_is_foreseen(
        one in prop::collection::vec(any_segment(), 1..5),
        other in prop::collection::vec(any_segment(), 1..5),
        choice in prop::collection::vec(any::<prop::sample::Index>(), 8),
    ) {
        let key = key(&one, &choice);
        prop_assert!(overlaps(&one, &one));
        prop_assert!(catches(&one[..one.len() - 1], &one));
        prop_assert_eq!(overlaps(&one, &other), overlaps(&other, &one));
        if !readings(&other, &key).is_empty() {
            prop_assert!(overlaps(&one, &other), "{key}");
            prop_assert!(catches(&other, &one), "{key}");
        }
        if readings(&one, &key).len() > 1 {
            prop_assert!(is_ambiguous(&one), "{key}");
        }
    }
}

/// The same functions run at compile time.
const _: () = assert!(
    !overlaps(
        &[Segment::Literal("GAME#"), Segment::part("code", Form::CLOSED)],
        &[Segment::Literal("PLAYER#"), Segment::part("id", Form::CLOSED)],
    ),
    "different words never give the same key",
);

#[test]
fn a_template_longer_than_is_looked_at_can_be_anything_there() {
    let long = "x".repeat(400);
    let one = [Segment::Literal(&long)];
    let other = [Segment::Literal(&long), Segment::Literal("y")];
    assert!(overlaps(&one, &other), "not known to differ");
    assert!(!overlaps(&one, &[Segment::Literal("x")]));
}
