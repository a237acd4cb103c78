//! Names and texts written by people.

use singlet_web::text::{DisplayName, clean_text};

fn name(text: &str) -> Result<String, String> {
    DisplayName::parse(text, 1..=24).map(|name| name.to_string()).map_err(|why| why.to_string())
}

#[test]
fn names_of_the_world_are_names() {
    for (written, shown) in [
        ("  Ann   B. ", "Ann B."),
        ("Zoe\u{308}", "Zoë"),
        // Markup is plain text.
        ("<b>Bob</b>", "<b>Bob</b>"),
        ("Nguyễn Thị", "Nguyễn Thị"),
        // Persian uses non-joiners, Sinhala and Hindi joiners.
        ("علی\u{200c}رضا", "علی\u{200c}رضا"),
        ("ශ\u{dca}\u{200d}රී", "ශ\u{dca}\u{200d}රී"),
        ("क\u{94d}\u{200d}ष", "क\u{94d}\u{200d}ष"),
        ("Ann ❤\u{fe0f}", "Ann ❤\u{fe0f}"),
        ("👩\u{200d}👩\u{200d}👧", "👩\u{200d}👩\u{200d}👧"),
        ("👍🏽", "👍🏽"),
        ("1\u{fe0f}\u{20e3}", "1\u{fe0f}\u{20e3}"),
        (
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        ),
    ] {
        assert_eq!(name(written).as_deref(), Ok(shown), "{written:?}");
    }
    // Counts user-perceived characters, not code points.
    assert!(name(&"e\u{308}".repeat(24)).is_ok());
    assert!(name(&"🇩🇪".repeat(24)).is_ok());
}

#[test]
fn names_that_cannot_be_read_are_refused() {
    let length = "must have 1 to 24 characters";
    let invisible = "must have no invisible characters and none that turn text around";
    let empty = "must not be empty";
    for (written, why) in [
        ("", empty),
        ("   ", empty),
        ("\u{200b}", invisible),
        ("\u{fe0f} \u{fe0f}", empty),
        ("\u{2800}", invisible),
        ("Ann\u{2800}", invisible),
        ("Ann\u{34f}", invisible),
        ("a\u{0}b", invisible),
        ("a\u{202e}b", invisible),
        ("a\u{feff}", invisible),
        ("A\u{200c}nn", invisible),
        ("Ann\u{200d}", invisible),
        ("A\u{200d}nn", invisible),
        ("Ann\u{e0067}", invisible),
        ("Z\u{300}\u{301}\u{302}\u{303}\u{304}", "must have at most four accents on a letter"),
        (&"x".repeat(25), length),
        (&"x".repeat(1 << 20), length),
    ] {
        assert_eq!(name(written), Err(why.to_owned()), "{:?}", &written[..written.len().min(40)]);
    }
    assert_eq!(DisplayName::parse("ab", 3..=5), Err("must have 3 to 5 characters".into()));
}

/// Regression: a character may expand to eighteen letters, so names of these were slow to compare.
#[test]
fn names_that_stand_for_much_longer_ones_are_refused() {
    for short in [
        "Muhammad \u{fdfa}",
        "Jo\u{fb03}n \u{2167}",
        "\u{ff21}\u{ff4e}\u{ff4e}",
        "Ann \u{2122} \u{bd}",
    ] {
        assert!(name(short).is_ok(), "{short}");
    }
    // Any single character can be a name.
    for alone in ["\u{fdfa}", "\u{bd}", "\u{fb03}"] {
        assert!(DisplayName::parse(alone, 1..=1).is_ok(), "{alone}");
    }
    let why = "must have fewer characters that stand for several letters";
    for long in [format!("xyz{}", "\u{fdfa}".repeat(20)), "\u{3316}".repeat(24)] {
        assert_eq!(name(&long), Err(why.to_owned()), "{long}");
    }
}

#[test]
fn names_that_look_alike_have_one_skeleton() {
    let skeleton = |text: &str| DisplayName::parse(text, 1..=24).unwrap().skeleton();
    for (one, other) in [
        ("Ann", "ann"),
        ("ÄNNE", "änne"),
        ("ａＮＮ！", "Ann!"),
        ("Ann ❤", "Ann ❤\u{fe0f}"),
        ("Zoe\u{308}", "Zoë"),
        // Cyrillic, Greek, digits, and look-alike letters.
        ("Аnn", "Ann"),
        ("ΑΝΝ", "Ann"),
        ("B0b", "Bob"),
        ("Ian", "lan"),
        ("IAN", "ian"),
        ("rnax", "max"),
    ] {
        assert_eq!(skeleton(one), skeleton(other), "{one} {other}");
    }
    for (one, other) in [("Ann", "Anna"), ("Zoë", "Zoe"), ("Bob", "Rob"), ("Ann 1", "Ann 2")] {
        assert_ne!(skeleton(one), skeleton(other), "{one} {other}");
    }
}

#[test]
fn texts_are_cleaned() {
    assert_eq!(clean_text("  one\r\n\ttwo\u{202e}\0 "), "one\n\ttwo");
    assert_eq!(clean_text("Zoe\u{308} \u{1b}[31m"), "Zoë [31m");
    assert_eq!(clean_text("\u{0} \n"), "");
}
