//! The home page, which lists the systems, and the page that explains problem types.

use crate::page::{Asset, escape, prose};
use crate::problem::{ProblemType, SHARED, anchor};
use crate::system::SystemInfo;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Pages outside of any system.
pub(super) fn pages(systems: &[&SystemInfo], notes: &[String], has_console: bool) -> Vec<Asset> {
    let owned = |path, page: String| Asset { path, content: Cow::Owned(page.into_bytes()) };
    vec![owned("/", home(systems, notes, has_console)), owned("/problems", problems(systems))]
}

fn home(systems: &[&SystemInfo], notes: &[String], has_console: bool) -> String {
    let mut cards = String::new();
    for SystemInfo { name, title, description, .. } in systems {
        let (title, description) = (escape(title), escape(description));
        let _ = write!(
            cards,
            "<li class=\"card\"><h2>{title}</h2><p>{description}</p><p class=\"actions\">\
             <a class=\"button\" href=\"/{name}\">Open</a> \
             <a href=\"/{name}/api\">API reference</a></p></li>"
        );
    }
    if has_console {
        cards.push_str(
            "<li class=\"card\"><h2>Console</h2><p>The tables behind all systems: their items, their \
             designs, and every change as it happens.</p><p class=\"actions\">\
             <a class=\"button\" href=\"/console\">Open</a></p></li>",
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
    let mut section = |system: Option<&str>, title: &str, codes: &[&ProblemType]| {
        let _ = write!(sections, "<section class=\"problems\"><h2>{}</h2><dl>", escape(title));
        for problem_type in codes {
            let ProblemType { name, status, title, description } = problem_type;
            let (title, description) = (escape(title), prose(description.trim()));
            let id = anchor(system, problem_type);
            let _ = write!(
                sections,
                "<dt id=\"{id}\"><code>{name}</code> <span class=\"badge\">{status}</span> \
                 {title}</dt><dd>{description}</dd>"
            );
        }
        sections.push_str("</dl></section>");
    };
    section(None, "Everywhere", SHARED);
    for system in systems.iter().filter(|system| !system.problems.is_empty()) {
        section(Some(system.name), system.title, &system.problems);
    }
    include_str!("../../assets/problems.html").replace("{sections}", &sections)
}
