//! Property tests of key ranges, with characters at the edges of Unicode.

use super::*;
use crate::attribute::Attribute;
use crate::shape::TemplatePart;
use proptest::prelude::*;

/// Short texts over few characters, including the extremes.
fn texts() -> impl Strategy<Value = String> {
    let chars = ['#', '$', 'a', '\u{d7ff}', '\u{e000}', '\u{10fffe}', char::MAX];
    let texts = proptest::collection::vec(proptest::sample::select(chars.to_vec()), 0..5);
    texts.prop_map(String::from_iter)
}

fn intervals() -> impl Strategy<Value = Interval> {
    prop_oneof![
        texts().prop_map(Interval::Exactly),
        texts().prop_map(Interval::StartingWith),
        Just(Interval::Any),
    ]
}

fn contains(interval: &Interval, key: &str) -> bool {
    match interval {
        Interval::Any => true,
        Interval::Exactly(own) => own == key,
        Interval::StartingWith(prefix) => key.starts_with(prefix),
        Interval::Between(..) => passes(&interval.test(), key),
    }
}

fn passes(test: &SortTest, key: &str) -> bool {
    let text = |value: &Value| match value {
        Value::S(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    let SortTest::Is(own, _) = test else { return *test == SortTest::Any };
    let is_sent = match own {
        KeyTest::BeginsWith(prefix) => key.starts_with(&text(prefix)),
        KeyTest::Between(lower, upper) => *text(lower) <= *key && *key <= *text(upper),
        KeyTest::Compare(comparator, value) => {
            let order = key.cmp(&text(value));
            match comparator {
                Comparator::Equal => order.is_eq(),
                Comparator::Less => order.is_lt(),
                Comparator::LessOrEqual => order.is_le(),
                Comparator::Greater => order.is_gt(),
                Comparator::GreaterOrEqual => order.is_ge(),
                other => panic!("{other:?}"),
            }
        }
    };
    is_sent && !test.excluded().any(|end| text(end) == key)
}

const LAST: Template = Template {
    text: "STAR#{user}",
    segments: &[
        Segment::Literal("STAR#"),
        Segment::part("user", <String as KeyPart>::SHAPE.form(0)),
    ],
    parts: &[TemplatePart::of::<String>(0, 0)],
};
const FOLLOWED: Template = Template {
    text: "{stars:03}#{user}",
    segments: &[
        Segment::part("stars", <u8 as KeyPart>::SHAPE.form(3)),
        Segment::Literal("#"),
        Segment::part("user", <String as KeyPart>::SHAPE.form(0)),
    ],
    parts: &[TemplatePart::of::<u8>(0, 3), TemplatePart::of::<String>(1, 0)],
};

/// A range chosen by number, and whether the value is in it.
fn range<T: Attribute + Ord>(number: usize, value: &T, bound: &T) -> (Range, bool) {
    let range = Range::default();
    match number {
        0 => (range.from(bound.to_value()), value >= bound),
        1 => (range.after(bound.to_value()), value > bound),
        2 => (range.until(bound.to_value()), value <= bound),
        _ => (range.before(bound.to_value()), value < bound),
    }
}

proptest! {
    #[test]
    fn what_begins_with_a_text_ends_before_its_successor(prefix in texts(), key in texts()) {
        let is_before = successor(&prefix).is_none_or(|next| key < next);
        prop_assert_eq!(key >= prefix && is_before, key.starts_with(&prefix));
    }

    #[test]
    fn a_hull_holds_both(one in intervals(), other in intervals(), third in intervals(), key in texts()) {
        let hull = one.clone().hull(&other);
        let wider = hull.clone().hull(&third);
        let is_inside = contains(&one, &key) || contains(&other, &key);
        prop_assert!(!is_inside || passes(&hull.test(), &key), "{hull:?}");
        prop_assert!(!contains(&hull, &key) || contains(&wider, &key), "{wider:?}");
    }

    #[test]
    fn ranges_of_the_last_part(user in texts(), bound in texts(), number in 0_usize..4, other in texts()) {
        // Key parts are never empty.
        prop_assume!(!bound.is_empty());
        let (range, is_in) = range(number, &user, &bound);
        let test = text_test(&LAST, None, &[], &range).unwrap();
        prop_assert_eq!(passes(&test, &format!("STAR#{user}")), is_in, "{:?}", test);
        // Keys with another prefix belong to other entities.
        prop_assert!(!passes(&test, "STAR$"), "{:?}", test);
        prop_assert!(other.starts_with("STAR#") || !passes(&test, &other), "{:?}", test);
    }

    #[test]
    fn ranges_of_a_part_with_others_behind_it(stars: u8, bound: u8, user in texts(), number in 0_usize..4) {
        let (range, is_in) = range(number, &stars, &bound);
        let test = text_test(&FOLLOWED, None, &[], &range).unwrap();
        prop_assert_eq!(passes(&test, &format!("{stars:03}#{user}")), is_in, "{:?}", test);
    }

    #[test]
    fn narrower_is_both(
        one in intervals(),
        prefix in proptest::option::of(texts()),
        lower in proptest::option::of(texts()),
        upper in proptest::option::of(texts()),
        key in texts(),
    ) {
        let is_in = contains(&one, &key)
            && prefix.as_ref().is_none_or(|prefix| key.starts_with(prefix))
            && lower.as_ref().is_none_or(|lower| key >= *lower)
            && upper.as_ref().is_none_or(|upper| key <= *upper);
        let (prefix, lower, upper) = (prefix.as_deref(), lower.as_deref(), upper.as_deref());
        let test = one.test().narrowed(prefix, lower, upper);
        prop_assert_eq!(passes(&test, &key), is_in, "{:?}", test);
    }
}
