//! Signals that ask the process to end.

/// Listens from the moment it is made, so that a signal that comes before anybody waits is not lost and does not kill.
#[derive(Debug)]
pub(crate) struct Ending {
    #[cfg(unix)]
    signals: Option<[tokio::signal::unix::Signal; 3]>,
}

impl Ending {
    /// Starts to listen.
    #[cfg(unix)]
    pub(crate) fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = || {
            Ok::<_, std::io::Error>([
                signal(SignalKind::interrupt())?,
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
            ])
        };
        let signals = listen().inspect_err(|error| tracing::warn!(%error, "signals are not heard")).ok();
        Self { signals }
    }

    /// Starts to listen.
    #[cfg(not(unix))]
    pub(crate) fn listen() -> Self {
        Self {}
    }

    /// Waits until a person or the system asks for the end.
    pub(crate) async fn asked(&mut self) {
        #[cfg(unix)]
        {
            let Some([interrupt, terminate, hang_up]) = &mut self.signals else {
                return std::future::pending().await;
            };
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hang_up.recv() => {}
            }
        }
        #[cfg(not(unix))]
        let _asked = tokio::signal::ctrl_c().await;
    }
}
