//! A stream of items across pages.

use super::{Core, End};
use crate::error::Result;
use crate::query::Readable;
use crate::source::Start;
use crate::table::Contains;
use futures_core::Stream;
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A stream of items, read page by page on demand.
///
/// It implements [`Stream`]; [`next`](Self::next) works without a stream library.
///
/// ```
/// # use singlet::prelude::*;
/// # id!(Code);
/// # #[table(name = "games", key = (PK, SK), entities(Game))]
/// # pub struct Games;
/// # #[derive(Entity)]
/// # #[entity(Games, key = ("GAMES", "{code}"))]
/// # pub struct Game { pub code: Code }
/// # singlet::block_on(async {
/// # let db = Db::<Games>::memory().await?;
/// # db.run(put(&Game { code: Code::new("A")? })).await?;
/// let mut games = db.query(Game::of()).items();
/// while let Some(game) = games.next().await {
///     println!("{}", game?.code);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[must_use = "a stream does nothing unless it is read"]
pub struct Items<'d, D, P> {
    /// Items of the last page that were not returned yet.
    ready: VecDeque<P>,
    state: State<'d, P>,
    design: crate::marker::Marker<D>,
    /// The maximum number of items left to return.
    left: Option<usize>,
}

/// A page being read. It returns the reader when it is done.
type Reading<'d, P> =
    Pin<Box<dyn Future<Output = (Box<Core<'d>>, Result<(Vec<P>, Option<Start>)>)> + Send + 'd>>;

enum State<'d, P> {
    /// The next page starts here.
    Waiting(Box<Core<'d>>, Start),
    Reading(Reading<'d, P>),
    /// No more pages; an error may still have to be returned.
    Done(Option<crate::error::Error>),
}

impl<'d, D, P> Items<'d, D, P>
where
    P: Readable + 'd,
    D: Contains<P::Table>,
{
    pub(super) fn new(reader: Result<Core<'d>>, limit: Option<usize>) -> Self {
        let state = match reader {
            Ok(reader) => State::Waiting(Box::new(reader), Start::default()),
            Err(error) => State::Done(Some(error)),
        };
        Self { ready: VecDeque::new(), state, design: std::marker::PhantomData, left: limit }
    }

    /// The next item; `None` when there are no more.
    pub async fn next(&mut self) -> Option<Result<P>> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<P>>> {
        loop {
            if self.left == Some(0) {
                return Poll::Ready(None);
            }
            if let Some(item) = self.ready.pop_front() {
                self.left = self.left.map(|left| left - 1);
                return Poll::Ready(Some(Ok(item)));
            }
            self.state = match std::mem::replace(&mut self.state, State::Done(None)) {
                State::Done(error) => return Poll::Ready(error.map(Err)),
                State::Waiting(reader, start) => State::Reading(Box::pin(async move {
                    let mut items = Vec::new();
                    let next = reader.read(&mut items, start, None, End::Filled).await;
                    (reader, next.map(|next| (items, next)))
                })),
                State::Reading(mut reading) => match reading.as_mut().poll(context) {
                    Poll::Pending => {
                        self.state = State::Reading(reading);
                        return Poll::Pending;
                    }
                    Poll::Ready((_, Err(error))) => State::Done(Some(error)),
                    Poll::Ready((reader, Ok((items, next)))) => {
                        self.ready.extend(items);
                        match next {
                            Some(next) => State::Waiting(reader, next),
                            None => State::Done(None),
                        }
                    }
                },
            };
        }
    }
}

impl<'d, D, P> Stream for Items<'d, D, P>
where
    P: Readable + Unpin + 'd,
    D: Contains<P::Table>,
{
    type Item = Result<P>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<P>>> {
        self.get_mut().poll(context)
    }
}

impl<D, P: Readable> std::fmt::Debug for Items<'_, D, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Items");
        shown.field("of", &P::NAME).field("ready", &self.ready.len());
        if let State::Waiting(reader, _) = &self.state {
            reader.source.debug(&mut shown);
        }
        shown.field("left", &self.left).finish_non_exhaustive()
    }
}
