//! DescribeStream.

use crate::engine::Engine;
use crate::error::Result;
use crate::state::State;
use crate::stream::Stream;
use singlet_dynamo::arn::StreamArn;
use singlet_dynamo::operation::{DescribeStream, DescribeStreamAnswer, stream_not_found};

impl Engine {
    /// Describes a stream.
    pub fn describe_stream(&self, request: &DescribeStream) -> Result<DescribeStreamAnswer> {
        let state = self.state()?;
        let stream = state.stream(&request.stream_arn);
        let stream = stream.ok_or_else(|| stream_not_found(&request.stream_arn))?;
        Ok(request.answer(stream.description()))
    }
}

impl State {
    pub(crate) fn stream(&self, arn: &StreamArn) -> Option<&Stream> {
        self.catalogue.streams().find(|stream| stream.arn == *arn).map(AsRef::as_ref)
    }
}
