//! A socket that records when bytes move.

use crate::activity::{Activity, HalfClosed};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A connection's socket, which reports progress to its [`Activity`].
#[derive(Debug)]
pub struct WatchedStream {
    stream: TcpStream,
    activity: Arc<Activity>,
}

impl WatchedStream {
    pub(crate) fn new(stream: TcpStream, activity: Arc<Activity>) -> Self {
        Self { stream, activity }
    }

    fn noted(
        &self,
        context: &Context<'_>,
        written: Poll<std::io::Result<usize>>,
    ) -> Poll<std::io::Result<usize>> {
        if written.is_ready() {
            self.activity.note_write();
        } else if self.activity.note_write_waits(context.waker()) {
            return Poll::Ready(Err(std::io::ErrorKind::TimedOut.into()));
        }
        written
    }
}

impl AsyncRead for WatchedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let has_space = buffer.remaining() > 0;
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let bytes = buffer.filled().get(before..).unwrap_or_default();
        if !bytes.is_empty() {
            self.activity.note_read(bytes);
        } else if matches!(read, Poll::Ready(Ok(()))) && has_space {
            match self.activity.note_half_closed() {
                HalfClosed::Tell => {}
                // hyper polls again after writing the response, and then sees end of file.
                HalfClosed::Withhold => return Poll::Pending,
                HalfClosed::AskAgain => {
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
            }
        }
        read
    }
}

impl AsyncWrite for WatchedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.noted(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.noted(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
