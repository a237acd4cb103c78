//! Sites, ratings, comments, tags and search.

use super::Shared;
use super::bodies::{CommentBody, RatingBody, RemovalBody, SiteBody};
use super::upload::{ImageReply, Logo, Uploaded};
use crate::error::Error;
use crate::view::{CommentView, PublicRating, RatingView, SearchResult, SiteView, TagView};
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use singlet_web::api::{
    Api, Body, Created, IfMatch, Json, NoContent, Page, Paging, Path, Query, Versioned, delete,
    get, post, put,
};
use singlet_web::identity::Caller;
use singlet_web::limit::ClientLimits;

/// Lists have fifty entries unless another number is asked for.
pub(super) type ListPaging = Paging<50, 100>;

/// What a comment takes beside its text, about.
const COMMENT_BYTES: u64 = 500;
/// The table and two indexes hold it whole.
const COMMENT_COPIES: u64 = 3;

pub(super) fn routes(api: Api<Shared>) -> Api<Shared> {
    use Error::{
        CommentNotFound, CommentRemoved, ImageNotFound, RatingNotFound, SiteBusy, SiteNotFound,
        TooManyComments,
    };
    api.route(
        get("/v1/sites", list)
            .describe("listSites", "Lists sites, the newest first: all, or those with a tag."),
    )
    .route(
        post("/v1/sites", create).idempotent().describe("createSite", "Adds a site. For admins."),
    )
    .route(
        get("/v1/sites/{id}", show).describe("getSite", "Shows a site.").problems([SiteNotFound]),
    )
    .route(
        put("/v1/sites/{id}", change)
            .describe("updateSite", "Changes a site with its tags. For admins.")
            .problems([SiteNotFound, SiteBusy]),
    )
    .route(
        delete("/v1/sites/{id}", remove)
            .describe(
                "deleteSite",
                "Deletes a site: it is gone at once, what belongs to it a moment later. For \
                 admins.",
            )
            .problems([SiteNotFound, SiteBusy]),
    )
    .route(
        put("/v1/sites/{id}/logo", set_logo)
            .describe("setLogo", "Changes the logo of a site: a PNG, JPEG or WebP. For admins.")
            .problems([SiteNotFound]),
    )
    .route(
        delete("/v1/sites/{id}/logo", remove_logo)
            .describe("removeLogo", "Removes the logo of a site. For admins.")
            .problems([SiteNotFound]),
    )
    .route(
        get("/v1/sites/{id}/logo/{file}", logo)
            .describe("getLogo", "The logo of a site.")
            .problems([ImageNotFound]),
    )
    .route(
        get("/v1/sites/{id}/rating", my_rating)
            .describe("getMyRating", "Shows your rating of a site.")
            .problems([SiteNotFound, RatingNotFound]),
    )
    .route(
        put("/v1/sites/{id}/rating", rate)
            .describe("rateSite", "Rates a site, or changes your rating.")
            .problems([SiteNotFound]),
    )
    .route(
        delete("/v1/sites/{id}/rating", remove_rating)
            .describe("removeRating", "Takes your rating of a site back.")
            .problems([SiteNotFound, RatingNotFound]),
    )
    .route(
        get("/v1/sites/{id}/comments", comments)
            .describe("listComments", "Lists the comments on a site, the newest first.")
            .problems([SiteNotFound]),
    )
    .route(
        post("/v1/sites/{id}/comments", comment)
            .idempotent()
            .describe("addComment", "Writes a comment on a site.")
            .problems([SiteNotFound, TooManyComments]),
    )
    .route(
        put("/v1/sites/{id}/comments/{commentId}", edit_comment)
            .describe("editComment", "Changes a comment of your own.")
            .problems([SiteNotFound, CommentNotFound, CommentRemoved]),
    )
    .route(
        delete("/v1/sites/{id}/comments/{commentId}", delete_comment)
            .describe("deleteComment", "Deletes a comment of your own.")
            .problems([SiteNotFound, CommentNotFound]),
    )
    .route(
        post("/v1/sites/{id}/comments/{userId}/{commentId}/removal", moderate)
            .describe(
                "moderateComment",
                "Removes the text of a comment, with a reason that everybody sees. For those with \
                 the permission comments.moderate.",
            )
            .problems([SiteNotFound, CommentNotFound]),
    )
    .route(get("/v1/tags", tags).describe("listTags", "Lists the tags in use, by name."))
    .route(
        get("/v1/search", search)
            .describe("search", "Finds sites and tags by the beginnings of words, while you type."),
    )
    .route(
        get("/v1/ratings", ratings)
            .describe("listRatings", "Lists who gave so many stars, to one site or to any.")
            .problems([SiteNotFound]),
    )
    .route(
        get("/v1/me/ratings", my_ratings)
            .describe("listMyRatings", "Lists your ratings, the newest first."),
    )
    .route(
        get("/v1/me/comments", my_comments)
            .describe("listMyComments", "Lists your comments, the newest first."),
    )
}

#[derive(Deserialize, JsonSchema)]
struct OfSite {
    /// The id of the site.
    id: String,
}

#[derive(Deserialize, JsonSchema)]
struct OfLogo {
    /// The id of the site.
    id: String,
    /// The name of the file.
    file: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfOwnComment {
    /// The id of the site.
    id: String,
    /// The id of the comment.
    comment_id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfComment {
    /// The id of the site.
    id: String,
    /// The id of the author.
    user_id: String,
    /// The id of the comment.
    comment_id: String,
}

#[derive(Deserialize, JsonSchema)]
struct WithTag {
    /// Only sites with this tag.
    #[schemars(length(min = 1, max = 80))]
    tag: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Typed {
    /// What somebody has typed.
    #[schemars(length(max = 100))]
    q: String,
}

#[derive(Deserialize, JsonSchema)]
struct WithStars {
    /// One to five.
    #[schemars(range(min = 1, max = 5))]
    stars: u8,
    /// Only of this site.
    #[schemars(length(min = 1, max = 64))]
    site: Option<String>,
}

fn versioned(site: SiteView) -> Versioned<SiteView> {
    Versioned { version: site.version, value: site }
}

async fn list(
    State(shared): State<Shared>,
    with: Query<WithTag>,
    paging: ListPaging,
) -> Result<Json<Page<SiteView>>, Error> {
    Ok(Json(match &with.tag {
        Some(tag) => shared.service.sites_with_tag(tag, &paging).await?,
        None => shared.service.sites(&paging).await?,
    }))
}

async fn create(
    State(shared): State<Shared>,
    caller: Caller,
    Body(new): Body<SiteBody>,
) -> Result<Created<SiteView>, Error> {
    let site = shared.service.create_site(&caller, &new.into()).await?;
    let version = site.version;
    Ok(Created::at(format!("/v1/sites/{}", site.id), site).version(version))
}

async fn show(
    State(shared): State<Shared>,
    of: Path<OfSite>,
) -> Result<Versioned<SiteView>, Error> {
    Ok(versioned(shared.service.site(&of.id).await?))
}

async fn change(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSite>,
    IfMatch(version): IfMatch,
    Body(new): Body<SiteBody>,
) -> Result<Versioned<SiteView>, Error> {
    let site = shared.service.update_site(&caller, &of.id, version, &new.into()).await?;
    Ok(versioned(site))
}

async fn remove(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSite>,
) -> Result<NoContent, Error> {
    let task = shared.service.delete_site(&caller, &of.id).await?;
    shared.run_in_background(task);
    Ok(NoContent)
}

async fn set_logo(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSite>,
    file: Uploaded<Logo>,
) -> Result<Versioned<SiteView>, Error> {
    Ok(versioned(shared.service.set_logo(&caller, &of.id, file.bytes()).await?))
}

async fn remove_logo(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSite>,
) -> Result<NoContent, Error> {
    shared.service.remove_logo(&caller, &of.id).await.map(|()| NoContent)
}

async fn logo(State(shared): State<Shared>, of: Path<OfLogo>) -> Result<ImageReply, Error> {
    Ok(ImageReply(shared.service.logo(&of.id, &of.file).await?))
}

async fn my_rating(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSite>,
) -> Result<Json<RatingView>, Error> {
    Ok(Json(shared.service.my_rating(&caller, &of.id).await?))
}

async fn rate(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSite>,
    Body(new): Body<RatingBody>,
) -> Result<Json<RatingView>, Error> {
    Ok(Json(shared.service.rate_site(&caller, &of.id, &new.into()).await?))
}

async fn remove_rating(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfSite>,
) -> Result<NoContent, Error> {
    shared.service.remove_rating(&caller, &of.id).await.map(|()| NoContent)
}

async fn comments(
    State(shared): State<Shared>,
    of: Path<OfSite>,
    paging: Paging,
) -> Result<Json<Page<CommentView>>, Error> {
    Ok(Json(shared.service.comments_on(&of.id, &paging).await?))
}

/// Charges a new comment to the address it comes from: of all that somebody stores, only comments
/// have no bound of their own.
fn charge_comment(client: &ClientLimits, body: &str) -> Result<(), Error> {
    let bytes = COMMENT_COPIES * (COMMENT_BYTES + body.len() as u64);
    Ok(client.charge_stored(bytes)?)
}

async fn comment(
    State(shared): State<Shared>,
    caller: Caller,
    client: ClientLimits,
    of: Path<OfSite>,
    Body(new): Body<CommentBody>,
) -> Result<Created<CommentView>, Error> {
    charge_comment(&client, &new.body)?;
    let comment = shared.service.add_comment(&caller, &of.id, &new.body).await?;
    let location = format!("/v1/sites/{}/comments/{}", comment.site_id, comment.comment_id);
    Ok(Created::at(location, comment))
}

async fn edit_comment(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfOwnComment>,
    Body(new): Body<CommentBody>,
) -> Result<Json<CommentView>, Error> {
    let edited = shared.service.edit_comment(&caller, &of.id, &of.comment_id, &new.body).await?;
    Ok(Json(edited))
}

async fn delete_comment(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfOwnComment>,
) -> Result<NoContent, Error> {
    shared.service.delete_comment(&caller, &of.id, &of.comment_id).await.map(|()| NoContent)
}

async fn moderate(
    State(shared): State<Shared>,
    caller: Caller,
    of: Path<OfComment>,
    Body(removal): Body<RemovalBody>,
) -> Result<Json<CommentView>, Error> {
    let OfComment { id, user_id, comment_id } = &*of;
    let reason = &removal.reason;
    let removed = shared.service.moderate_comment(&caller, id, user_id, comment_id, reason).await?;
    Ok(Json(removed))
}

async fn tags(
    State(shared): State<Shared>,
    paging: ListPaging,
) -> Result<Json<Page<TagView>>, Error> {
    Ok(Json(shared.service.tags(&paging).await?))
}

async fn search(
    State(shared): State<Shared>,
    typed: Query<Typed>,
) -> Result<Json<SearchResult>, Error> {
    Ok(Json(shared.service.search(&typed.q).await?))
}

async fn ratings(
    State(shared): State<Shared>,
    caller: Caller,
    with: Query<WithStars>,
    paging: ListPaging,
) -> Result<Json<Page<PublicRating>>, Error> {
    let site = with.site.as_deref();
    Ok(Json(shared.service.ratings_with(&caller, with.stars, site, &paging).await?))
}

async fn my_ratings(
    State(shared): State<Shared>,
    caller: Caller,
    paging: ListPaging,
) -> Result<Json<Page<RatingView>>, Error> {
    Ok(Json(shared.service.my_ratings(&caller, &paging).await?))
}

async fn my_comments(
    State(shared): State<Shared>,
    caller: Caller,
    paging: ListPaging,
) -> Result<Json<Page<CommentView>>, Error> {
    Ok(Json(shared.service.my_comments(&caller, &paging).await?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use singlet_web::limit::Rate;
    use singlet_web::problem::{ApiError as _, RATE_LIMITED};

    #[test]
    fn an_address_stores_comments_until_its_budget_is_spent() {
        let rate = Rate { per_second: 1.0, burst: 8_000.0 };
        let client = ClientLimits::with_stored_rate([192, 0, 2, 1].into(), rate);
        let body = "x".repeat(1000);
        assert!(charge_comment(&client, &body).is_ok());
        // Whoever has anything left gets all of it.
        assert!(charge_comment(&client, &body).is_ok());
        let refused = charge_comment(&client, &body).unwrap_err();
        assert_eq!(refused.problem_type(), &RATE_LIMITED);
    }
}
