//! The catalogue: a page of sites with a tag.

use super::{Outcome, Rows, database, scaled};
use ::systems::fus::design::{Site, SiteId, SiteList, SiteTag, TagName};
use ::systems::fus::service::Service;
use singlet::engine::Clock;
use singlet_web::api::Paging;
use singlet_web::blob::Blobs;
use singlet_web::random::Random;

const TAG: &str = "sea";
const SITES: usize = scaled(10_000, 200);
const PAGE: usize = 50;

pub(super) async fn page_of_sites(rows: &Rows) -> Outcome<()> {
    let title = format!("FUS: page of {PAGE} of {SITES} sites with a tag, in memory");
    if !rows.wants(&title) {
        return Ok(());
    }
    let db = database(None, Clock::system()).await?;
    let service = Service::new(db, Random::new(), Blobs::memory());
    for first in (0..SITES).step_by(PAGE) {
        let mut batch = service.db().batch();
        for number in first..first + PAGE {
            let site = site(&service, number)?;
            batch.put(&SiteTag { id: site.id.clone(), tag: TagName::new(TAG)? })?;
            batch.put(&site)?;
        }
        batch.run().await?;
    }
    let paging = Paging::<50, 100>::new(Some(PAGE as u32), None);
    let shown = service.sites_with_tag(TAG, &paging).await?.items.len();
    if shown != PAGE {
        return Err(format!("the page has {shown} sites").into());
    }
    rows.measure(&title, 1, vec![(service, paging)], |(service, paging)| async move {
        service.sites_with_tag(TAG, &paging).await?;
        Ok(Some((service, paging)))
    })
    .await
}

fn site(service: &Service, number: usize) -> Outcome<Site> {
    let now = service.db().now();
    Ok(Site {
        id: SiteId::new(format!("0198f000-0000-7000-8000-{number:012}"))?,
        entity_type: Some(SiteList::Site),
        url: format!("https://site-{number}.example/"),
        title: format!("Harbour and tides, part {number}"),
        description: "When the water comes and goes, for every harbour. ".repeat(4),
        scraped_content: "What the page says about it. ".repeat(10),
        tags: vec![TAG.to_owned(), "harbour".to_owned(), "tides".to_owned()],
        logo_key: None,
        rating_sum: 17,
        rating_count: 4,
        stars_1: 0,
        stars_2: 0,
        stars_3: 0,
        stars_4: 3,
        stars_5: 1,
        comment_count: 2,
        version: 1,
        state: None,
        task_id: None,
        created_at: now,
        updated_at: now,
    })
}
