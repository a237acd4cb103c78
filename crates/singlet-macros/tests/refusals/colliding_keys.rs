//! Two entities whose items can have the same primary key.

use singlet::prelude::*;

id!(UserId, SiteId);

#[table(name = "sites", key = (PK, SK), entities(Rating, Comment))]
struct Sites;

#[derive(Entity)]
#[entity(Sites, key = ("USER#{user}", "SITE#{site}"))]
struct Rating {
    user: UserId,
    // May contain `#COMMENT#`.
    site: String,
}

#[derive(Entity)]
#[entity(Sites, key = ("USER#{user}", "SITE#{site}#COMMENT#{number:04}"))]
struct Comment {
    user: UserId,
    site: SiteId,
    number: u16,
}

fn main() {}
