//! Reads of many pages whose requests have a limit of their own.

use super::StoreError;
use crate::design::Cricket;
use futures_util::stream::{BoxStream, StreamExt, TryStreamExt, try_unfold};
use singlet::backend::BackendError;
use singlet::dynamo::Item;
use singlet::dynamo::operation::{Answer, Request};
use singlet::{Db, Error, Projection, item};

/// One page of a Query or a Scan: the items, and where the next page begins.
pub(super) async fn page<P: Projection>(
    db: &Db<Cricket>,
    request: Request,
) -> Result<(Vec<P>, Option<Item>), Error> {
    let Answer::Page(page) = db.execute(request).await? else {
        return Err(BackendError::Failed("the answer is not one to the request".into()).into());
    };
    let mut items = Vec::with_capacity(page.count);
    for attributes in page.items.unwrap_or_default() {
        items.push(item::decode_item(&attributes.to_item())?);
    }
    Ok((items, page.last_evaluated_key))
}

/// The same request for the page that begins there.
pub(super) fn starting_at(request: &Request, start: Option<Item>) -> Request {
    let mut request = request.clone();
    match &mut request {
        Request::Query(query) => query.exclusive_start_key = start,
        Request::Scan(scan) => scan.exclusive_start_key = start,
        _ => {}
    }
    request
}

/// All items of all pages, one request after the other as they are asked for.
pub(super) fn all_pages<P: Projection>(
    db: &Db<Cricket>,
    request: Result<Request, Error>,
) -> BoxStream<'static, Result<P, StoreError>> {
    let db = db.clone();
    let first = Some(None::<Item>);
    let chunks = try_unfold((request, first), move |(request, start)| {
        let db = db.clone();
        async move {
            let Some(start) = start else { return Ok::<_, StoreError>(None) };
            let request = request?;
            let (items, next) = page::<P>(&db, starting_at(&request, start)).await?;
            let items = futures_util::stream::iter(items.into_iter().map(Ok));
            Ok(Some((items, (Ok(request), next.map(Some)))))
        }
    });
    chunks.try_flatten().boxed()
}
