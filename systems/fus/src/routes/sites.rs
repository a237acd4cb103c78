//! Sites, ratings, comments, tags and search.

use super::upload::Uploaded;
use super::{Answer, App, Current, Done, OfComment, OfSite, versioned};
use crate::design::{CommentId, SiteId, Tag, UserId};
use crate::error::{Error, Result};
use crate::service::{CommentBody, ListPaging, NewRating, NewSite, Reason, Service};
use crate::view::{CommentView, PublicRating, RatingView, SearchResult, SiteView};
use singlet_web::api::{delete, get, post, put};
use singlet_web::blob::StoredFile;
use singlet_web::limit::ClientLimits;
use singlet_web::prelude::*;

/// Approximate size of a comment without its text.
const COMMENT_BYTES: u64 = 500;
/// The table and two indexes store the whole item.
const COMMENT_COPIES: u64 = 3;

pub(super) fn routes(api: Api<Service>) -> Api<Service> {
    use Error::{CommentRemoved, RatingNotFound, SiteBusy, SiteNotFound, TooManyComments};
    api.route(
        get("/v1/sites", list_sites).about("Lists sites, the newest first: all, or those with a tag."),
    )
    .route(post("/v1/sites", create_site).about("Adds a site. For admins.").idempotent())
    .route(get("/v1/sites/{siteId}", get_site).about("Shows a site."))
    .route(
        put("/v1/sites/{siteId}", update_site)
            .about("Changes a site with its tags. For admins.")
            .problems([SiteBusy]),
    )
    .route(
        delete("/v1/sites/{siteId}", delete_site)
            .about(
                "Deletes a site: it is gone at once, what belongs to it a moment later. For admins.",
            )
            .problems([SiteBusy]),
    )
    .route(
        put("/v1/sites/{siteId}/logo", set_logo)
            .about("Changes the logo of a site: a PNG, JPEG or WebP. For admins."),
    )
    .route(
        delete("/v1/sites/{siteId}/logo", remove_logo)
            .about("Removes the logo of a site. For admins."),
    )
    .route(get("/v1/sites/{siteId}/logo/{file}", get_logo).about("Returns the logo of a site."))
    .route(
        get("/v1/sites/{siteId}/rating", get_my_rating)
            .about("Shows your rating of a site; null if you have not rated it."),
    )
    .route(
        put("/v1/sites/{siteId}/rating", rate_site).about("Rates a site, or changes your rating."),
    )
    .route(
        delete("/v1/sites/{siteId}/rating", remove_rating)
            .about("Removes your rating of a site.")
            .problems([RatingNotFound]),
    )
    .route(
        get("/v1/sites/{siteId}/comments", list_comments)
            .about("Lists the comments on a site, the newest first."),
    )
    .route(
        post("/v1/sites/{siteId}/comments", add_comment)
            .about("Writes a comment on a site.")
            .idempotent()
            .problems([TooManyComments]),
    )
    .route(get("/v1/sites/{siteId}/comments/{commentId}", get_comment).about("Shows a comment."))
    .route(
        put("/v1/sites/{siteId}/comments/{commentId}", edit_comment)
            .about("Changes a comment of your own.")
            .problems([CommentRemoved]),
    )
    .route(
        delete("/v1/sites/{siteId}/comments/{commentId}", delete_comment)
            .about("Deletes a comment of your own."),
    )
    .route(
        post("/v1/sites/{siteId}/comments/{userId}/{commentId}/removal", moderate_comment).about(
            "Removes the text of a comment and shows a reason instead. Requires comments.moderate.",
        ),
    )
    .route(get("/v1/tags", list_tags).about("Lists the tags in use, by name."))
    .route(
        get("/v1/search", search)
            .about("Finds sites and tags by the beginnings of words, as you type."),
    )
    .route(
        get("/v1/ratings", list_ratings)
            .about("Lists who gave so many stars, to one site or to any.")
            .problems([SiteNotFound]),
    )
    .route(get("/v1/me/ratings", list_my_ratings).about("Lists your ratings, the newest first."))
    .route(get("/v1/me/comments", list_my_comments).about("Lists your comments, the newest first."))
}

#[derive(Deserialize, JsonSchema)]
struct WithTag {
    /// Only sites with this tag.
    #[schemars(length(min = 1, max = 80))]
    tag: Option<String>,
}

async fn list_sites(app: App, of: Query<WithTag>, paging: ListPaging) -> Answer<Page<SiteView>> {
    Ok(Json(match &of.tag {
        Some(tag) => app.sites_with_tag(tag, &paging).await?,
        None => app.sites(&paging).await?,
    }))
}

async fn create_site(app: App, by: Caller, new: Body<NewSite>) -> Result<Created<SiteView>> {
    let view = app.create_site(&by, &new).await?;
    let version = view.site.version;
    Ok(Created::at(format!("/v1/sites/{}", view.site.id), view).version(version))
}

async fn get_site(app: App, id: OfSite) -> Current<SiteView> {
    app.site(&id).await.map(current)
}

async fn update_site(
    app: App,
    by: Caller,
    id: OfSite,
    IfMatch(version): IfMatch,
    new: Body<NewSite>,
) -> Current<SiteView> {
    app.update_site(&by, &id, version, &new).await.map(current)
}

async fn delete_site(app: App, by: Caller, id: OfSite) -> Done {
    let task = app.delete_site(&by, &id).await?;
    app.run_in_background(task);
    Ok(NoContent)
}

async fn set_logo(app: App, by: Caller, id: OfSite, file: Uploaded) -> Current<SiteView> {
    app.set_logo(&by, &id, file.0).await.map(current)
}

fn current(view: SiteView) -> Versioned<SiteView> {
    versioned(view.site.version, view)
}

async fn remove_logo(app: App, by: Caller, id: OfSite) -> Done {
    app.remove_logo(&by, &id).await.map(|()| NoContent)
}

async fn get_logo(app: App, Path((id, file)): Path<(SiteId, String)>) -> Result<StoredFile> {
    app.logo(&id, &file).await
}

async fn get_my_rating(app: App, by: Caller, id: OfSite) -> Answer<Option<RatingView>> {
    app.my_rating(&by, &id).await.map(Json)
}

async fn rate_site(app: App, by: Caller, id: OfSite, new: Body<NewRating>) -> Answer<RatingView> {
    app.rate_site(&by, &id, &new).await.map(Json)
}

async fn remove_rating(app: App, by: Caller, id: OfSite) -> Done {
    app.remove_rating(&by, &id).await.map(|()| NoContent)
}

async fn list_comments(app: App, id: OfSite, paging: Paging) -> Answer<Page<CommentView>> {
    app.comments_on(&id, &paging).await.map(Json)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CommentText {
    /// Plain text of at most 4,000 characters.
    body: CommentBody,
}

/// Charges a new comment to the client's storage budget: comments have no per-user limit.
fn charge_comment(client: &ClientLimits, body: &CommentBody) -> Result<()> {
    let bytes = COMMENT_COPIES * (COMMENT_BYTES + body.as_str().len() as u64);
    Ok(client.charge_stored(bytes)?)
}

async fn add_comment(
    app: App,
    by: Caller,
    client: ClientLimits,
    id: OfSite,
    new: Body<CommentText>,
) -> Result<Created<CommentView>> {
    charge_comment(&client, &new.body)?;
    let view = app.add_comment(&by, &id, &new.body).await?;
    Ok(Created::at(format!("/v1/sites/{}/comments/{}", id.0, view.comment_id), view))
}

async fn get_comment(app: App, by: Option<Caller>, of: OfComment) -> Answer<CommentView> {
    app.comment(by.as_ref(), &of.0.0, &of.0.1).await.map(Json)
}

async fn edit_comment(
    app: App,
    by: Caller,
    Path((site, comment)): OfComment,
    new: Body<CommentText>,
) -> Answer<CommentView> {
    app.edit_comment(&by, &site, &comment, &new.body).await.map(Json)
}

async fn delete_comment(app: App, by: Caller, Path((site, comment)): OfComment) -> Done {
    app.delete_comment(&by, &site, &comment).await.map(|()| NoContent)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Removal {
    /// Why the comment is removed, in at most 200 characters. The reason is public.
    reason: Reason,
}

async fn moderate_comment(
    app: App,
    by: Caller,
    Path((site, author, comment)): Path<(SiteId, UserId, CommentId)>,
    removal: Body<Removal>,
) -> Answer<CommentView> {
    app.moderate_comment(&by, (&site, &author, &comment), &removal.reason).await.map(Json)
}

async fn list_tags(app: App, paging: ListPaging) -> Answer<Page<Tag>> {
    app.tags(&paging).await.map(Json)
}

#[derive(Deserialize, JsonSchema)]
struct Typed {
    /// The search text.
    #[schemars(length(max = 100))]
    q: String,
}

async fn search(app: App, typed: Query<Typed>) -> Answer<SearchResult> {
    app.search(&typed.q).await.map(Json)
}

#[derive(Deserialize, JsonSchema)]
struct WithStars {
    #[schemars(range(min = 1, max = 5))]
    stars: u8,
    /// Only of this site.
    site: Option<SiteId>,
}

async fn list_ratings(
    app: App,
    by: Caller,
    of: Query<WithStars>,
    paging: ListPaging,
) -> Answer<Page<PublicRating>> {
    app.ratings_with(&by, of.stars, of.site.as_ref(), &paging).await.map(Json)
}

async fn list_my_ratings(app: App, by: Caller, paging: ListPaging) -> Answer<Page<RatingView>> {
    app.my_ratings(&by, &paging).await.map(Json)
}

async fn list_my_comments(app: App, by: Caller, paging: ListPaging) -> Answer<Page<CommentView>> {
    app.my_comments(&by, &paging).await.map(Json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use singlet_web::limit::Rate;
    use singlet_web::problem::RATE_LIMITED;

    #[test]
    fn an_address_stores_comments_until_its_budget_is_spent() {
        let rate = Rate { per_second: 1.0, burst: 8_000.0 };
        let client = ClientLimits::with_stored_rate([192, 0, 2, 1].into(), rate);
        let body: CommentBody = "x".repeat(1000).parse().unwrap();
        assert!(charge_comment(&client, &body).is_ok());
        // The budget may be overdrawn once.
        assert!(charge_comment(&client, &body).is_ok());
        let refused = charge_comment(&client, &body).unwrap_err();
        assert_eq!(refused.problem_type(), &RATE_LIMITED);
    }
}
