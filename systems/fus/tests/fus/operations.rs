//! Operations of the catalogue that no acceptance case has in full.

use crate::fixture::*;
use crate::invariants::assert_invariants;
use fus::design::Tag;
use fus::service::NewSite;
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    sites_are_listed_newest_first_and_in_pages,
    sites_with_a_tag_are_listed_newest_first_and_in_pages,
    a_site_is_found_by_the_beginnings_of_its_words,
    only_admins_change_sites,
    comments_are_listed_newest_first_with_their_authors,
    tags_are_suggested_and_listed,
    titles_that_begin_as_typed_are_found_first,
    a_tag_is_found_by_its_own_name,
    tags_that_the_last_site_gives_up_are_listed_no_more,
}

async fn sites_are_listed_newest_first_and_in_pages(store: TestStore) {
    let fixture = Fixture::new(store).await;
    for number in 0..5 {
        fixture.site(&format!("Site {number}"), &[]).await;
    }
    let (mut cursor, mut titles) = (None, Vec::new());
    for size in [2, 2, 1] {
        let page = fixture.service.sites(&paging(2, cursor.as_deref())).await.unwrap();
        assert_eq!(page.items.len(), size);
        titles.extend(page.items.into_iter().map(|site| site.site.title));
        cursor = page.next;
    }
    assert_eq!(titles, ["Site 4", "Site 3", "Site 2", "Site 1", "Site 0"]);
    assert_eq!(cursor, None);
}

async fn sites_with_a_tag_are_listed_newest_first_and_in_pages(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut last = id("none");
    for number in 0..5 {
        let tags: &[&str] = if number == 2 { &["trains"] } else { &["sea", "trains"] };
        last = fixture.site(&format!("Site {number}"), tags).await.id;
    }
    fixture.control.forget();
    let page = fixture.service.sites_with_tag("sea", &paging(3, None)).await.unwrap();
    let queries = fixture.control.queries();
    assert_eq!(queries.len(), 1);
    assert_eq!(queries[0].0.index_name.as_deref(), Some("byTag"));
    let titles: Vec<&str> = page.items.iter().map(|site| site.site.title.as_str()).collect();
    assert_eq!(titles, ["Site 4", "Site 3", "Site 1"]);
    let next = paging(3, page.next.as_deref());
    let page = fixture.service.sites_with_tag("sea", &next).await.unwrap();
    assert_eq!(page.items.len(), 1);
    assert_eq!(fixture.service.sites_with_tag("Trains", &all()).await.unwrap().items.len(), 5);
    for nothing in ["none", "", "<b>", "a#b"] {
        let page = fixture.service.sites_with_tag(nothing, &all()).await.unwrap();
        assert_eq!(page.items, [], "{nothing}");
    }
    // A cursor of one list is none of another.
    let first = fixture.service.sites(&paging(2, None)).await.unwrap();
    let forged = fixture.service.sites_with_tag("sea", &paging(2, first.next.as_deref())).await;
    assert_eq!(code(forged), "invalid");
    fixture.service.delete_site(&adam(), &last).await.unwrap();
    let page = fixture.service.sites_with_tag("sea", &all()).await.unwrap();
    assert_eq!(page.items.len(), 3);
}

async fn a_site_is_found_by_the_beginnings_of_its_words(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let new = |title: &str, host: &str| NewSite { url: address(host), ..new_site(title, &[]) };
    let mut ids = Vec::new();
    for (title, host) in [
        ("Rust by Example", "rust.example"),
        ("Rüst und Zeug", "zeug.example"),
        ("Tides", "sea.example"),
        ("Plain", "例え.jp"),
    ] {
        fixture.clock.advance(1);
        ids.push(fixture.service.create_site(&adam(), &new(title, host)).await.unwrap().site.id);
    }
    let found = async |typed: &str| -> Vec<String> {
        let found = fixture.service.search(typed).await.unwrap();
        assert!(!found.partial);
        found.sites.into_iter().map(|site| site.title).collect()
    };
    assert_eq!(found("rust").await, ["Rust by Example", "Rüst und Zeug"]);
    assert_eq!(found("rust b").await, ["Rust by Example"]);
    assert_eq!(found("ex by").await, ["Rust by Example"]);
    assert_eq!(found("RÜST z").await, ["Rüst und Zeug"]);
    assert_eq!(found("sea").await, ["Tides"]);
    assert_eq!(found("例え").await, ["Plain"]);
    assert_eq!(found("x").await, [] as [&str; 0]);
    assert_eq!(found("rust nothing").await, [] as [&str; 0]);
    // A new title is found, and the old one is not.
    let changed = new("Ebb and flow", "sea.example");
    fixture.service.update_site(&adam(), &ids[2], 1, &changed).await.unwrap();
    assert_eq!(found("tides").await, [] as [&str; 0]);
    assert_eq!(found("ebb se").await, ["Ebb and flow"]);
    // The copies of the title follow, also in words that stay.
    assert_eq!(found("sea").await, ["Ebb and flow"]);
    fixture.service.delete_site(&adam(), &ids[2]).await.unwrap();
    assert_eq!(found("sea").await, [] as [&str; 0]);
}

async fn only_admins_change_sites(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let site = fixture.site("Tides", &["a"]).await;
    let before = fixture.stored().await;
    let service = &fixture.service;
    for somebody in [nils(), caller("mina", &["manager"]), caller("eve", &["Admin", "superadmin"])]
    {
        let new = new_site("Mine", &[]);
        assert_eq!(code(service.create_site(&somebody, &new).await), "forbidden");
        assert_eq!(code(service.update_site(&somebody, &site.id, 1, &new).await), "forbidden");
        assert_eq!(code(service.delete_site(&somebody, &site.id).await), "forbidden");
        assert_eq!(code(service.remove_logo(&somebody, &site.id).await), "forbidden");
    }
    assert_eq!(fixture.stored().await, before);
    let nowhere = service.update_site(&adam(), &id("nowhere"), 1, &new_site("Mine", &[])).await;
    assert_eq!(code(nowhere), "site-not-found");
    // Ratings survive a change, since a site is never replaced.
    fixture.rate("nils", &site.id, 5).await;
    let changed =
        service.update_site(&adam(), &site.id, 1, &new_site("Tides", &["b"])).await.unwrap();
    assert_eq!((changed.site.rating_count, changed.site.version), (1, 2));
    assert_invariants(&fixture.items().await);
}

async fn comments_are_listed_newest_first_with_their_authors(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let (tides, trains) = (fixture.site("Tides", &[]).await, fixture.site("Trains", &[]).await);
    fixture.sign_in(&nils()).await;
    for (who, site, body) in [
        ("nils", &tides, "one"),
        ("ben", &tides, "two\nlines"),
        ("nils", &trains, "elsewhere"),
        ("nils", &tides, "three"),
    ] {
        fixture.clock.advance(1);
        fixture.service.add_comment(&caller(who, &[]), &site.id, &says(body)).await.unwrap();
    }
    fixture.rate("nils", &tides.id, 3).await;
    fixture.control.forget();
    let page = fixture.service.comments_on(&tides.id, &paging(2, None)).await.unwrap();
    let queries = fixture.control.queries();
    assert_eq!(queries.len(), 1);
    assert_eq!(queries[0].0.index_name.as_deref(), Some("bySite"));
    let shown: Vec<(&str, &str)> = page
        .items
        .iter()
        .map(|comment| (comment.display_name.as_str(), comment.body.as_str()))
        .collect();
    assert_eq!(shown, [("Nils", "three"), ("Member ben", "two\nlines")]);
    let next = paging(2, page.next.as_deref());
    let rest = fixture.service.comments_on(&tides.id, &next).await.unwrap();
    assert_eq!((rest.items.len(), rest.next), (1, None));
    let mine = fixture.service.my_comments(&nils(), &all()).await.unwrap().items;
    let mine: Vec<(&str, &str)> =
        mine.iter().map(|one| (one.site_title.as_str(), one.body.as_str())).collect();
    assert_eq!(mine, [("Tides", "three"), ("Trains", "elsewhere"), ("Tides", "one")]);
    assert_eq!(fixture.service.my_ratings(&nils(), &all()).await.unwrap().items.len(), 1);
    assert_eq!(
        code(fixture.service.add_comment(&nils(), &id("nowhere"), &says("Hm.")).await),
        "site-not-found"
    );
    assert_invariants(&fixture.items().await);
}

async fn tags_are_suggested_and_listed(store: TestStore) {
    let fixture = Fixture::new(store).await;
    fixture.site("Tides", &["sea", "Sea food", "c#", "seal", "seam", "search", "sea-view"]).await;
    let tags = fixture.service.tags(&all()).await.unwrap().items;
    let tags: Vec<&str> = tags.iter().map(|item| item.tag.as_str()).collect();
    assert_eq!(tags, ["csharp", "sea", "sea-food", "sea-view", "seal", "seam", "search"]);
    let found = fixture.service.search("the SEA").await.unwrap();
    assert_eq!(found.tags, ["sea", "sea-food", "sea-view", "seal", "seam"]);
}

async fn titles_that_begin_as_typed_are_found_first(store: TestStore) {
    let fixture = Fixture::new(store).await;
    for (title, host) in [
        ("Zoo", "rust-and-birds.example"),
        ("Birds in rust", "a.example"),
        ("Rusty bicycles", "b.example"),
        ("Rust bench", "c.example"),
        ("RUST BY EXAMPLE", "d.example"),
    ] {
        fixture.clock.advance(1);
        let new = NewSite { url: address(host), ..new_site(title, &["birds"]) };
        fixture.service.create_site(&adam(), &new).await.unwrap();
    }
    let found = fixture.service.search(" Rust b").await.unwrap();
    let titles: Vec<&str> = found.sites.iter().map(|site| site.title.as_str()).collect();
    let expected = ["Rust bench", "RUST BY EXAMPLE", "Birds in rust", "Rusty bicycles", "Zoo"];
    assert_eq!(titles, expected);
    assert_eq!(found.tags, ["birds"]);
}

/// Tags were looked for by the folded last word: "node.js" by "js", and "übung" by "ubung".
async fn a_tag_is_found_by_its_own_name(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let tags = ["node.js", "übung", "C#", "rope-clock", "c++", "cafe", "js"];
    fixture.site("Tides", &tags).await;
    for (typed, tags) in [
        ("Node.js", &["node.js"][..]),
        ("learn node.j", &["node.js"]),
        ("Übu", &["übung"]),
        ("c#", &["csharp"]),
        ("c++", &["c++"]),
        ("c", &["c++", "cafe", "csharp"]),
        ("#rope-cl", &["rope-clock"]),
        ("the rope", &["rope-clock"]),
        ("tides", &[]),
    ] {
        assert_eq!(fixture.service.search(typed).await.unwrap().tags, tags, "{typed}");
    }
}

async fn tags_that_the_last_site_gives_up_are_listed_no_more(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let site = fixture.site("Tides", &["#Kept", "gone", "shared", "taken", "old"]).await;
    assert_eq!(site.tags, ["kept", "gone", "shared", "taken", "old"]);
    fixture.site("Trains", &["shared"]).await;
    let listed = async || -> Vec<String> {
        let tags = service.tags(&all()).await.unwrap().items;
        tags.into_iter().map(|item| item.tag.to_string()).collect()
    };
    service.update_site(&adam(), &site.id, 1, &new_site("Tides", &["kept"])).await.unwrap();
    // Another site is about to get this one: its change is not stored yet.
    let pending =
        Tag { tag: id("taken"), last_used_at: service.db().now(), last_used_by: id("another") };
    service.db().run(put(&pending)).await.unwrap();
    let dropped = ["gone", "shared", "taken", "old"].map(str::to_owned);
    service.forget_dropped(&site.id, &dropped).await.unwrap();
    assert_eq!(listed().await, ["kept", "shared", "taken"]);
    assert_eq!(service.search("go").await.unwrap().tags, [] as [&str; 0]);
    // After a minute it has come to nothing.
    fixture.clock.advance(61_000);
    service.forget_dropped(&site.id, &dropped).await.unwrap();
    assert_eq!(listed().await, ["kept", "shared"]);
    let task = service.delete_site(&adam(), &site.id).await.unwrap();
    service.run_task(&task).await.unwrap();
    assert_eq!(listed().await, ["shared"]);
}
