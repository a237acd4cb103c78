//! Demo data: the neighbourhood club "Harbour Links", which collects sites and plays doubles on
//! Mondays. Everything goes through the service, so it obeys every rule.

mod people;
mod sites;
mod squash;

pub use people::PERSONAS;

use crate::design::SiteId;
use crate::service::{NewRating, NewSite, Service, SignIn};
use crate::view::CommentView;
use people::{ADAM, LEA, MINA, callers, load_groups, load_people};
use singlet_picture::chequered;
use singlet_web::blob::BlobError;
use singlet_web::demo::{Demo, DemoError};
use singlet_web::identity::Caller;
use sites::SITES;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// How many ratings there are, with those of the site that is being deleted.
const RATINGS: usize = 180;
/// How many comments there are, with those of the site that is being deleted.
const COMMENTS: usize = 90;
const CLOSED_RATINGS: usize = 4;
const CLOSED_COMMENTS: usize = 2;
/// The site that nobody has rated.
const UNRATED: &str = "Second-hand shelf";

const BODIES: [&str; 12] = [
    "I look here every morning.",
    "The search is slow, the rest is good.",
    "Thank you for adding this!",
    "The old address does not work any more; this one does.",
    "Better on a phone than on a large screen.",
    "We used it for the trip in spring.\nEverything was as it says.",
    "Does anybody know who runs it?",
    "My favourite page is the one about the lock.",
    "Not much has changed in the last year.",
    "Good for beginners.",
    "I found what I was looking for, after a while.",
    "Shown to the children, who liked it.",
];
const NOTES: [&str; 5] = [
    "read again in winter",
    "ask Ben about it",
    "good pictures",
    "too long",
    "for the club evening",
];

/// Loads the demo data.
pub(crate) async fn load(service: &Service, mut demo: Demo) -> Result<(), DemoError> {
    let start = demo.loaded_at().before(300 * DAY);
    demo.set_time(start);
    service.ensure_squash().await?;
    load_people(service, &demo).await?;
    load_groups(service, &demo).await?;
    let ids = load_sites(service, &demo).await?;
    load_opinions(service, &mut demo, &ids).await?;
    squash::load(service, &mut demo).await?;
    close_forum(service, &demo).await
}

/// The sites, one a week, the newest a few days old.
async fn load_sites(service: &Service, demo: &Demo) -> Result<Vec<String>, DemoError> {
    let adam = ADAM.caller();
    let mut ids = Vec::new();
    for (number, (title, host, description, tags)) in (0_u32..).zip(SITES) {
        demo.set_time(demo.loaded_at().before((285 - 7 * number) * DAY + 5 * HOUR));
        let tags = match title {
            "Tag museum" => museum_tags(),
            _ => tags.iter().map(|tag| (*tag).to_owned()).collect(),
        };
        let new = NewSite {
            url: format!("https://{host}/"),
            title: title.to_owned(),
            description: description.to_owned(),
            scraped_content: format!("{title}\n\n{description} This text was pasted by hand."),
            tags,
        };
        ids.push(service.create_site(&adam, &new).await?.id);
    }
    for (place, colour) in [(0, [222, 88, 40]), (3, [30, 110, 170])] {
        if let Some(id) = ids.get(place) {
            service.set_logo(&adam, id, drawing(colour)?.into()).await?;
        }
    }
    Ok(ids)
}

/// A hundred and fifty tags.
fn museum_tags() -> Vec<String> {
    let kinds = ["brass", "glass", "paper", "rope", "slate", "tin", "wax", "wood", "wool", "zinc"];
    let things = [
        "anchor", "bell", "box", "button", "clock", "compass", "key", "lamp", "letter", "map",
        "net", "plate", "ruler", "stamp", "whistle",
    ];
    kinds.iter().flat_map(|kind| things.map(|thing| format!("{kind}-{thing}"))).collect()
}

fn drawing(colour: [u8; 3]) -> Result<Vec<u8>, DemoError> {
    Ok(chequered(colour).map_err(|error| BlobError::Store(error.to_string()))?)
}

/// Ratings and comments. Everybody has rated about a third of the sites.
async fn load_opinions(
    service: &Service,
    demo: &mut Demo,
    ids: &[String],
) -> Result<(), DemoError> {
    let people = callers();
    let rated: Vec<&String> = ids
        .iter()
        .zip(SITES)
        .filter(|(_, (title, ..))| *title != UNRATED)
        .map(|(id, _)| id)
        .collect();
    let mut left = RATINGS - CLOSED_RATINGS;
    // Each site in turn by some of the people, until there are enough.
    'all: for round in 0..people.len() {
        for (place, id) in rated.iter().enumerate() {
            let who = (place * 5 + round * 3 + place / 7) % people.len();
            let Some(caller) = people.get(who) else { continue };
            if left == 0 {
                break 'all;
            }
            let days = demo.below(100);
            demo.set_time(demo.loaded_at().before(DAY * days + HOUR * 2));
            let stars = [5, 4, 4, 5, 3, 4, 2, 5, 1, 4].get(demo.below(10) as usize).copied();
            let note = match demo.below(3) {
                0 => demo.pick(&NOTES).copied().unwrap_or_default(),
                _ => "",
            };
            let new = NewRating { stars: stars.unwrap_or(4), note: note.to_owned() };
            if service.my_rating(caller, id).await.is_err() {
                service.rate_site(caller, id, &new).await?;
                left -= 1;
            }
        }
    }
    let mut written: Vec<(Caller, CommentView)> = Vec::new();
    for number in 0..COMMENTS - CLOSED_COMMENTS {
        let hours = u32::try_from(COMMENTS - number).unwrap_or(0) * 20;
        demo.set_time(demo.loaded_at().before(HOUR * hours));
        let (Some(caller), Some(id), Some(body)) = (
            demo.pick(&people).cloned(),
            demo.pick(ids).cloned(),
            BODIES.get(number % BODIES.len()),
        ) else {
            continue;
        };
        let comment = service.add_comment(&caller, &id, body).await?;
        written.push((caller, comment));
    }
    if let Some((caller, comment)) = written.get(40) {
        demo.set_time(demo.loaded_at().before(3 * DAY));
        let body = format!("{} (Corrected a word.)", comment.body);
        service.edit_comment(caller, &comment.site_id, &comment.comment_id, &body).await?;
    }
    if let Some((_, comment)) = written.get(60) {
        demo.set_time(demo.loaded_at().before(2 * DAY));
        let CommentView { site_id, user_id, comment_id, .. } = comment;
        let reason = "Advertising.";
        service.moderate_comment(&LEA.caller(), site_id, user_id, comment_id, reason).await?;
    }
    let mina = SignIn { at: service.db().now(), ip: None };
    service.set_avatar(&MINA.caller(), &mina, drawing([90, 60, 150])?.into()).await?;
    Ok(())
}

/// Site 41 is being deleted: its task is due in two minutes, so the job is seen to end it.
async fn close_forum(service: &Service, demo: &Demo) -> Result<(), DemoError> {
    demo.set_time(demo.loaded_at().before(200 * DAY));
    let new = NewSite {
        url: "https://forum.example/".to_owned(),
        title: "Closed forum".to_owned(),
        description: "It closed in spring.".to_owned(),
        scraped_content: String::new(),
        tags: vec!["neighbours".to_owned(), "town".to_owned()],
    };
    let site = service.create_site(&ADAM.caller(), &new).await?;
    let people = callers();
    for (number, caller) in people.iter().take(CLOSED_RATINGS).enumerate() {
        let stars = if number == 0 { 1 } else { 2 };
        let new = NewRating { stars, note: String::new() };
        service.rate_site(caller, &site.id, &new).await?;
    }
    for caller in people.iter().take(CLOSED_COMMENTS) {
        service.add_comment(caller, &site.id, "What a pity that it closes.").await?;
    }
    demo.set_time(demo.loaded_at());
    service.seal_site(&SiteId::new(site.id)?, demo.loaded_at().after(2 * MINUTE)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_others_share_sixty_tags() {
        let shared: BTreeSet<&str> =
            SITES.iter().flat_map(|(_, _, _, tags)| *tags).copied().collect();
        assert_eq!(shared.len(), 60);
        assert_eq!(museum_tags().len(), 150);
        assert!(SITES.iter().any(|(title, ..)| *title == UNRATED));
    }
}
