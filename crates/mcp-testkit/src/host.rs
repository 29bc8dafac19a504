//! A host with programmed answers that remembers what it was asked.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_types::object::to_raw;
use mcp_types::{ApprovalAnswer, ApprovalRequest, BoxFuture, Host, HostAbilities, Root, ServerName};
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Default)]
struct State {
    approvals: VecDeque<ApprovalAnswer>,
    approval: Option<ApprovalAnswer>,
    elicit: Option<Value>,
    sample: Option<Value>,
    roots: Option<Vec<Root>>,
    opens_pages: bool,
    thinking: Option<Duration>,
    never_answers: bool,
    asked_approvals: Vec<ApprovalRequest>,
    asked_elicitations: Vec<(ServerName, String)>,
    asked_samples: Vec<(ServerName, String)>,
    asked_roots: usize,
    opened_pages: Vec<String>,
}

/// A host that answers as it was programmed and can do nothing else. Clones share everything.
#[derive(Clone, Default)]
pub struct FakeHost {
    state: Arc<Mutex<State>>,
}

impl FakeHost {
    /// A host that can do nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers every question for approval like this.
    #[must_use]
    pub fn approve(self, answer: ApprovalAnswer) -> Self {
        self.with(|state| state.approval = Some(answer))
    }

    /// Answers the next question for approval like this, before [`FakeHost::approve`] counts.
    #[must_use]
    pub fn approve_next(self, answer: ApprovalAnswer) -> Self {
        self.with(|state| state.approvals.push_back(answer))
    }

    /// Answers elicitations with this result.
    #[must_use]
    pub fn elicit(self, result: Value) -> Self {
        self.with(|state| state.elicit = Some(result))
    }

    /// Answers sampling with this result.
    #[must_use]
    pub fn sample(self, result: Value) -> Self {
        self.with(|state| state.sample = Some(result))
    }

    /// Shows these roots.
    #[must_use]
    pub fn roots(self, roots: Vec<Root>) -> Self {
        self.with(|state| state.roots = Some(roots))
    }

    /// Opens pages.
    #[must_use]
    pub fn opens_pages(self) -> Self {
        self.with(|state| state.opens_pages = true)
    }

    /// Takes this long for every answer.
    #[must_use]
    pub fn thinking(self, time: Duration) -> Self {
        self.with(|state| state.thinking = Some(time))
    }

    /// Is asked, but never answers.
    #[must_use]
    pub fn never_answers(self) -> Self {
        self.with(|state| state.never_answers = true)
    }

    /// Gives the questions for approval so far.
    pub fn asked_approvals(&self) -> Vec<ApprovalRequest> {
        self.state().asked_approvals.clone()
    }

    /// Gives the parameters of the elicitations so far, as they were written.
    pub fn asked_elicitations(&self) -> Vec<(ServerName, String)> {
        self.state().asked_elicitations.clone()
    }

    /// Gives the parameters of the sampling requests so far, as they were written.
    pub fn asked_samples(&self) -> Vec<(ServerName, String)> {
        self.state().asked_samples.clone()
    }

    /// Counts the questions for roots so far.
    pub fn asked_roots(&self) -> usize {
        self.state().asked_roots
    }

    /// Gives the pages opened so far.
    pub fn opened_pages(&self) -> Vec<String> {
        self.state().opened_pages.clone()
    }

    fn with(self, change: impl FnOnce(&mut State)) -> Self {
        change(&mut self.state());
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn think(&self) {
        let (thinking, never) = {
            let state = self.state();
            (state.thinking, state.never_answers)
        };
        if never {
            std::future::pending::<()>().await;
        }
        if let Some(time) = thinking {
            tokio::time::sleep(time).await;
        }
    }
}

impl Host for FakeHost {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, ApprovalAnswer> {
        Box::pin(async move {
            self.state().asked_approvals.push(request.clone());
            self.think().await;
            let mut state = self.state();
            let next = state.approvals.pop_front();
            next.or(state.approval).unwrap_or(ApprovalAnswer::Unattended)
        })
    }

    fn elicit<'a>(
        &'a self,
        server: &'a ServerName,
        params: &'a RawValue,
    ) -> BoxFuture<'a, Option<Box<RawValue>>> {
        Box::pin(async move {
            self.state().asked_elicitations.push((server.clone(), params.get().to_owned()));
            self.think().await;
            self.state().elicit.as_ref().map(to_raw)
        })
    }

    fn sample<'a>(
        &'a self,
        server: &'a ServerName,
        params: &'a RawValue,
    ) -> BoxFuture<'a, Option<Box<RawValue>>> {
        Box::pin(async move {
            self.state().asked_samples.push((server.clone(), params.get().to_owned()));
            self.think().await;
            self.state().sample.as_ref().map(to_raw)
        })
    }

    fn open_url<'a>(&'a self, url: &'a str) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let mut state = self.state();
            state.opened_pages.push(url.to_owned());
            state.opens_pages
        })
    }

    fn roots<'a>(&'a self, _server: &'a ServerName) -> BoxFuture<'a, Option<Vec<Root>>> {
        Box::pin(async move {
            self.state().asked_roots += 1;
            self.think().await;
            self.state().roots.clone()
        })
    }

    fn abilities(&self) -> HostAbilities {
        let state = self.state();
        HostAbilities {
            elicit_form: state.elicit.is_some(),
            elicit_url: state.elicit.is_some(),
            sample: state.sample.is_some(),
            roots: state.roots.is_some(),
        }
    }
}

impl fmt::Debug for FakeHost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FakeHost").finish_non_exhaustive()
    }
}
