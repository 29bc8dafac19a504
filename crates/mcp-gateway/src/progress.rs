//! Progress of an upstream call, forwarded to the client that asked for it.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use tokio::sync::mpsc;
use wharf::{Progress, ProgressSink};

/// Notifications that may wait for a slow client; later ones are dropped, for only the newest matters.
const QUEUE: usize = 64;
/// How long the last notifications may delay the answer of a call.
const FLUSH: Duration = Duration::from_secs(1);

/// Runs a call that reports progress, and forwards each report, in order and before the answer.
pub(crate) async fn forwarding<T, F: Future<Output = T>>(
    peer: &Peer<RoleServer>,
    token: ProgressToken,
    run: impl FnOnce(ProgressSink) -> F,
) -> T {
    let (sender, mut receiver) = mpsc::channel(QUEUE);
    let sink: ProgressSink = Arc::new(move |progress: Progress| {
        if sender.try_send(progress).is_err() {
            tracing::debug!("a progress report was dropped: the client reads too slowly");
        }
    });
    let outcome = tokio::select! {
        outcome = run(sink) => outcome,
        never = forward_all(peer, &token, &mut receiver) => match never {},
    };
    let rest = async {
        while let Ok(progress) = receiver.try_recv() {
            forward(peer, &token, progress).await;
        }
    };
    if tokio::time::timeout(FLUSH, rest).await.is_err() {
        tracing::debug!("the last progress reports were dropped: the client reads too slowly");
    }
    outcome
}

async fn forward_all(
    peer: &Peer<RoleServer>,
    token: &ProgressToken,
    receiver: &mut mpsc::Receiver<Progress>,
) -> std::convert::Infallible {
    while let Some(progress) = receiver.recv().await {
        forward(peer, token, progress).await;
    }
    std::future::pending().await
}

async fn forward(peer: &Peer<RoleServer>, token: &ProgressToken, progress: Progress) {
    let mut params = ProgressNotificationParam::new(token.clone(), progress.progress);
    params.total = progress.total;
    params.message = progress.message;
    if let Err(error) = peer.notify_progress(params).await {
        tracing::debug!(%error, "a progress report could not be sent");
    }
}
