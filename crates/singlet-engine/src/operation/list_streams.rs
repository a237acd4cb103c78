//! ListStreams.

use crate::engine::Engine;
use crate::error::Result;
use singlet_dynamo::operation::{ListStreams, ListStreamsAnswer};

impl Engine {
    /// Lists the streams whose records can be read, by ARN, page by page.
    pub fn list_streams(&self, request: &ListStreams) -> Result<ListStreamsAnswer> {
        let state = self.state()?;
        let mut arns: Vec<_> = state.catalogue.streams().map(|stream| &stream.arn).collect();
        arns.sort_unstable_by_key(|arn| arn.as_str());
        Ok(request.page(arns))
    }
}
