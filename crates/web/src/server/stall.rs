//! Clients that ask and do not listen.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// A stream on which writing fails once the other side has taken nothing for too long. A timer
/// exists only while a write waits, which is hardly ever.
pub(super) struct StallGuard<S> {
    stream: S,
    stall_time_max: Duration,
    /// Since a write waits.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> StallGuard<S> {
    pub(super) fn new(stream: S, stall_time_max: Duration) -> Self {
        Self { stream, stall_time_max, stalled: None }
    }

    /// Looks at what became of a write.
    fn watch(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let patience = self.stall_time_max;
        let stalled =
            self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience))).as_mut();
        stalled.poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StallGuard<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StallGuard<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.watch(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn who_takes_nothing_is_given_up() {
        let (mut client, server) = tokio::io::duplex(8);
        let mut server = StallGuard::new(server, Duration::from_millis(20));
        server.write_all(b"12345678").await.unwrap();
        let failed = server.write_all(b"9").await.unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::TimedOut);
        // What was taken in between counts, however long all of it takes.
        let mut server = StallGuard::new(server.stream, Duration::from_secs(60));
        let (mut all, written) = (Vec::new(), server.write_all(b"9abcdefghijkl"));
        let read = async {
            while all.len() < 21 {
                all.push(client.read_u8().await.unwrap());
            }
        };
        let (written, ()) = tokio::join!(written, read);
        written.unwrap();
        assert!(server.stalled.is_none() && all.ends_with(b"jkl"));
    }
}
