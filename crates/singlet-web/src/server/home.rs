//! The first page, which lists the systems, and the page that explains why requests are refused.

use crate::page::{Asset, escape};
use crate::problem::{ProblemType, SHARED};
use crate::system::SystemInfo;
use std::borrow::Cow;
use std::fmt::Write as _;

/// The pages that belong to no system.
pub(super) fn pages(systems: &[&SystemInfo], notes: &[String]) -> Vec<Asset> {
    let owned = |path, page: String| Asset { path, content: Cow::Owned(page.into_bytes()) };
    vec![owned("/", home(systems, notes)), owned("/problems", problems(systems))]
}

fn home(systems: &[&SystemInfo], notes: &[String]) -> String {
    let mut cards = String::new();
    for SystemInfo { name, title, description, .. } in systems {
        let (title, description) = (escape(title), escape(description));
        let _ = write!(
            cards,
            "<li class=\"card\"><h2>{title}</h2><p>{description}</p><p class=\"actions\">\
             <a class=\"button\" href=\"/{name}\">Open</a> \
             <a href=\"/{name}/api\">HTTP interface</a></p></li>"
        );
    }
    let mut lines = String::new();
    for note in notes {
        let _ = write!(lines, "<li>{}</li>", escape(note));
    }
    include_str!("../../assets/home.html").replace("{cards}", &cards).replace("{notes}", &lines)
}

fn problems(systems: &[&SystemInfo]) -> String {
    let mut sections = String::new();
    let mut section = |title: &str, codes: &[&ProblemType]| {
        let _ = write!(sections, "<section class=\"problems\"><h2>{}</h2><dl>", escape(title));
        for ProblemType { name, status, title, description } in codes {
            let (title, description) = (escape(title), escape(description.trim()));
            let _ = write!(
                sections,
                "<dt id=\"{name}\"><code>{name}</code> <span class=\"badge\">{status}</span> \
                 {title}</dt><dd>{description}</dd>"
            );
        }
        sections.push_str("</dl></section>");
    };
    section("Everywhere", SHARED);
    for system in systems.iter().filter(|system| !system.problems.is_empty()) {
        section(system.title, &system.problems);
    }
    include_str!("../../assets/problems.html").replace("{sections}", &sections)
}
