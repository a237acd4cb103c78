//! Demo data: the neighbourhood club "Harbour Links", which collects sites and plays doubles on
//! Mondays. It is written through the service, and dated before the load at waking hours.

mod people;
mod squash;

pub use people::PERSONAS;

use crate::design::SiteId;
use crate::rules::{Address, NewTags};
use crate::service::{NewRating, NewSite, PageText, Service, SignIn};
use crate::view::CommentView;
use people::{ADAM, LEA, MINA, callers, load_groups, load_people};
use singlet::{Date, Timestamp};
use singlet_picture::chequered;
use singlet_web::blob::BlobError;
use singlet_web::prelude::*;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// Numbers of ratings and comments, including the site that is being deleted.
const RATINGS: usize = 180;
const COMMENTS: usize = 90;
const CLOSED_RATINGS: usize = 4;
const CLOSED_COMMENTS: usize = 2;
/// The site without ratings.
const UNRATED: &str = "Second-hand shelf";

/// Forty sites: title, host, description, tags. "Tag museum" gets its tags elsewhere; the others
/// share sixty.
const SITES: &str = include_str!("demo/sites.txt");

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

fn sites() -> impl Iterator<Item = [&'static str; 4]> {
    let fields = |line: &'static str| {
        let mut fields = line.split('|').map(str::trim);
        [(); 4].map(|()| fields.next().unwrap_or_default())
    };
    SITES.lines().map(fields)
}

/// A moment some days ago, between 8 in the morning and 10 in the evening, UTC.
fn at(demo: &Demo, days: u32, hour: u32, minute: u32) -> Timestamp {
    let day = Date::of(demo.loaded_at().before(DAY * days.max(1)));
    day.start().after(HOUR * (8 + hour % 14) + MINUTE * (minute % 60))
}

pub(crate) async fn load(service: &Service, mut demo: Demo) -> Result<(), DemoError> {
    demo.set_time(at(&demo, 300, 2, 0));
    service.ensure_squash().await?;
    load_people(service, &demo).await?;
    load_groups(service).await?;
    let ids = load_sites(service, &demo).await?;
    load_opinions(service, &mut demo, &ids).await?;
    squash::load(service, &mut demo).await?;
    close_forum(service, &demo).await
}

/// How many days ago a site was added: one a week, the newest twelve days ago.
fn age_of(site: u32) -> u32 {
    285 - 7 * site
}

async fn load_sites(service: &Service, demo: &Demo) -> Result<Vec<SiteId>, DemoError> {
    let adam = ADAM.caller();
    let mut ids = Vec::new();
    for (number, [title, host, description, tags]) in (0_u32..).zip(sites()) {
        demo.set_time(at(demo, age_of(number), 3 * number, 7 * number));
        let new = NewSite {
            url: Address(format!("https://{host}/")),
            title: title.parse()?,
            description: description.parse()?,
            scraped_content: PageText(format!(
                "{title}\n\n{description} This text was pasted by hand."
            )),
            tags: NewTags(match title {
                "Tag museum" => museum_tags(),
                _ => tags.split_whitespace().map(str::to_owned).collect(),
            }),
        };
        ids.push(service.create_site(&adam, &new).await?.site.id);
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
    ids: &[SiteId],
) -> Result<(), DemoError> {
    let people = callers();
    // Each with how many days ago it could be rated and commented on.
    let aged: Vec<(&SiteId, u32)> = ids.iter().zip((0..).map(|site| age_of(site) - 1)).collect();
    let rated = aged.iter().zip(sites()).filter(|(_, [title, ..])| *title != UNRATED);
    let rated: Vec<(&SiteId, u32)> = rated.map(|(site, _)| *site).collect();
    // Each site in turn by some of the people, until there are enough.
    let mut left = RATINGS - CLOSED_RATINGS;
    for turn in 0..people.len() * rated.len() {
        let (round, place) = (turn / rated.len(), turn % rated.len());
        let who = (place * 5 + round * 3 + place / 7) % people.len();
        let (Some(caller), Some(&(id, age))) = (people.get(who), rated.get(place)) else {
            continue;
        };
        if left == 0 {
            break;
        }
        if service.my_rating(caller, id).await?.is_some() {
            continue;
        }
        let (days, hour, minute) = (1 + demo.below(99), demo.below(14), demo.below(60));
        demo.set_time(at(demo, days.min(age), hour, minute));
        let stars = demo.pick(&[5, 4, 4, 5, 3, 4, 2, 5, 1, 4]).copied().unwrap_or(4);
        let note = match demo.below(3) {
            0 => demo.pick(&NOTES).copied().unwrap_or_default(),
            _ => "",
        };
        let new = NewRating { stars, note: note.parse()? };
        service.rate_site(caller, id, &new).await?;
        left -= 1;
    }
    let mut written: Vec<(Caller, CommentView)> = Vec::new();
    for (number, body) in (0..COMMENTS - CLOSED_COMMENTS).zip(BODIES.iter().cycle()) {
        let number = u32::try_from(number).unwrap_or(0);
        if let (Some(caller), Some(&(id, age))) = (demo.pick(&people), demo.pick(&aged)) {
            let days = (75 - number * 5 / 6).min(age);
            demo.set_time(at(demo, days, 5 * number, 13 * number));
            let comment = service.add_comment(caller, id, &body.parse()?).await?;
            written.push((caller.clone(), comment));
        }
    }
    if let Some((caller, comment)) = written.get(40) {
        demo.set_time(at(demo, 3, 6, 5));
        let body = format!("{} (Corrected a word.)", comment.body);
        service.edit_comment(caller, &comment.site_id, &comment.comment_id, &body.parse()?).await?;
    }
    if let Some((_, comment)) = written.get(60) {
        demo.set_time(at(demo, 2, 9, 40));
        let which = (&comment.site_id, &comment.user_id, &comment.comment_id);
        service.moderate_comment(&LEA.caller(), which, &"Advertising.".parse()?).await?;
    }
    let mina = SignIn { at: service.db().now(), ip: None };
    service.set_avatar(&MINA.caller(), &mina, drawing([90, 60, 150])?.into()).await?;
    Ok(())
}

/// Site 41 is being deleted: its task is due in two minutes, so visitors can watch the job finish
/// it.
async fn close_forum(service: &Service, demo: &Demo) -> Result<(), DemoError> {
    demo.set_time(at(demo, 200, 4, 20));
    let new = NewSite {
        url: Address("https://forum.example/".to_owned()),
        title: "Closed forum".parse()?,
        description: "It has closed.".parse()?,
        scraped_content: PageText::default(),
        tags: NewTags(["neighbours", "town"].map(str::to_owned).into()),
    };
    let id = service.create_site(&ADAM.caller(), &new).await?.site.id;
    let people = callers();
    for (number, caller) in people.iter().take(CLOSED_RATINGS).enumerate() {
        let stars = if number == 0 { 1 } else { 2 };
        let new = NewRating { stars, note: CleanText::default() };
        service.rate_site(caller, &id, &new).await?;
    }
    for caller in people.iter().take(CLOSED_COMMENTS) {
        service.add_comment(caller, &id, &"What a pity that it closes.".parse()?).await?;
    }
    demo.set_time(demo.loaded_at());
    service.seal_site(&id, demo.loaded_at().after(2 * MINUTE)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_others_share_sixty_tags() {
        let shared: BTreeSet<&str> =
            sites().flat_map(|[_, _, _, tags]| tags.split_whitespace()).collect();
        assert_eq!((sites().count(), shared.len(), museum_tags().len()), (40, 60, 150));
        assert!(sites().any(|[title, ..]| title == UNRATED));
    }
}
