//! The call path: resolve → decide → approve → lease → send → guard.
//!
//! A call runs in the task of its caller. It begins with one started event and ends with exactly one terminal event,
//! also when its future is dropped. One deadline spans everything but the time a person is asked. There is no other
//! way to a tool: the gateway, agents, resource tools and the command line all enter here.

use std::sync::Arc;
use std::time::Duration;

use mcp_actors::{CallEnd, CallEvent, Lease, LeaseOutcome};
use mcp_catalog::{Resolution, RosterTool, ToolKind};
use mcp_guard::GuardReport;
use mcp_policy::Pattern;
use mcp_transport::{Failure, FailureClass, Progress, RequestOptions};
use mcp_types::{CallId, CallRequest, Epoch, ErrorCode, PublicToolName, ServerName, ToolOutput, ToolRef};
use tokio::time::Instant;

use crate::deadline::Deadline;
use crate::error::Error;
use crate::explain;
use crate::runtime::Runtime;

/// Receives the progress of one call, in order.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// What a call gave.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CallOutput {
    /// The tool that ran.
    pub tool: ToolRef,
    /// Its outward name.
    pub name: PublicToolName,
    /// What it returned, after the output guard. `is_error` means that the tool itself reports a failure.
    pub output: ToolOutput,
    /// What the guard did; `None` when it changed nothing.
    pub guard: Option<GuardReport>,
    /// From the start of the call to its end, the time a person was asked included.
    pub duration: Duration,
}

/// A call between its started and its terminal event. Dropped before [`OpenCall::finish`], it reports a cancel.
struct OpenCall<'a> {
    runtime: &'a Runtime,
    id: CallId,
    request: CallRequest,
    allow: &'a [Arc<[Pattern]>],
    progress: Option<ProgressSink>,
    started: Instant,
    deadline: Deadline,
    target: Option<ToolRef>,
    ended: bool,
}

impl Runtime {
    pub(crate) async fn call_narrowed(
        &self,
        request: CallRequest,
        allow: &[Arc<[Pattern]>],
        progress: Option<ProgressSink>,
    ) -> Result<CallOutput, Error> {
        let mut call = OpenCall::begin(self, request, allow, progress);
        let outcome = call.run().await;
        call.finish(outcome)
    }
}

impl<'a> OpenCall<'a> {
    fn begin(
        runtime: &'a Runtime,
        request: CallRequest,
        allow: &'a [Arc<[Pattern]>],
        progress: Option<ProgressSink>,
    ) -> Self {
        let started = Instant::now();
        let id = runtime.next_call_id();
        runtime.house().publish_call(CallEvent::Started {
            call: id,
            session: request.session.clone(),
            origin: request.origin,
            tool: request.target.tool.clone(),
        });
        let deadline = Deadline::new(request.timeout.map(|timeout| started + timeout));
        Self { runtime, id, request, allow, progress, started, deadline, target: None, ended: false }
    }

    async fn run(&mut self) -> Result<CallOutput, Error> {
        let mut target = self.resolve().await?;
        self.target = Some(target.reference.clone());
        mcp_guard::check_arguments(&self.request.arguments, self.runtime.rules().max_argument_bytes)
            .map_err(|error| {
                Error::new(ErrorCode::InvalidArguments, error.to_string()).for_tool(&target.reference)
            })?;
        let mut newer_than = None;
        let mut redefined = false;
        loop {
            self.permit(&target).await?;
            let lease = self.lease(&target.reference.server, newer_than).await?;
            if let Some(current) = redefinition(&lease, &target) {
                if redefined {
                    return Err(explain::unstable_definition(&target.reference));
                }
                redefined = true;
                target = self.resolve_again(&lease, current).await?;
                continue;
            }
            let (lease, failure) = match self.send(lease, &target).await {
                Ok(output) => return self.guard(&target, output).await,
                Err(failed) => failed,
            };
            newer_than = Some(recover(&target, &lease, &failure, newer_than)?);
        }
    }

    /// Finds the tool in the roster; where only a server's list can tell, learns that list once.
    async fn resolve(&mut self) -> Result<Arc<RosterTool>, Error> {
        let servers = match self.runtime.roster().resolve(&self.request.target).into_found() {
            Ok(tool) => return Ok(tool),
            Err(Resolution::Discover { servers }) => servers,
            Err(other) => return Err(explain::unresolved(&self.request.target, other)),
        };
        let mut last_failure = None;
        for server in servers {
            let lease = match self.lease(&server, None).await {
                Ok(lease) => lease,
                Err(error) => {
                    last_failure = Some(error);
                    continue;
                }
            };
            self.runtime.published(&server, lease.epoch(), self.deadline.at()).await;
            if let Resolution::Found(tool) = self.runtime.roster().resolve(&self.request.target) {
                return Ok(tool);
            }
        }
        match (last_failure, self.look_again()) {
            (Some(failure), Err(error)) if error.code() == ErrorCode::NotConnected => Err(failure),
            (_, found) => found,
        }
    }

    fn look_again(&self) -> Result<Arc<RosterTool>, Error> {
        let found = self.runtime.roster().resolve(&self.request.target).into_found();
        found.map_err(|other| explain::unresolved(&self.request.target, other))
    }

    /// The lease shows another definition than the one that was decided on: takes the new one from the roster.
    async fn resolve_again(&self, lease: &Lease, found: Redefinition) -> Result<Arc<RosterTool>, Error> {
        if let Redefinition::Gone(reference) = found {
            return Err(explain::vanished(&reference));
        }
        self.runtime.published(lease.server(), lease.epoch(), self.deadline.at()).await;
        self.look_again()
    }

    /// Decides by the rules, and asks the host where they say so. The time of the question does not count.
    async fn permit(&mut self, target: &RosterTool) -> Result<(), Error> {
        let asked = Instant::now();
        let answer = crate::permit::permit(self.runtime, self.id, &self.request, self.allow, target).await;
        self.deadline.extend(asked.elapsed());
        answer
    }

    async fn lease(&self, server: &ServerName, newer_than: Option<Epoch>) -> Result<Lease, Error> {
        self.runtime.lease(server, self.deadline.at(), newer_than, false).await
    }

    /// Sends the request on the leased session. A failure hands the lease back with it.
    async fn send(&self, lease: Lease, target: &RosterTool) -> Result<ToolOutput, (Lease, Failure)> {
        let remaining = self.deadline.remaining(Instant::now());
        let options =
            RequestOptions { timeout: remaining, max_total: remaining, progress: self.progress.clone() };
        let session = lease.session();
        let answer = match &target.kind {
            ToolKind::Tool(tool) => session.call_tool(tool.name(), &self.request.arguments, options).await,
            ToolKind::Resource(resource) => session
                .read_resource(resource.uri(), options)
                .await
                .and_then(|raw| crate::resource::as_output(&raw)),
        };
        match answer {
            Ok(output) => {
                lease.settle(LeaseOutcome::Ok);
                Ok(output)
            }
            Err(failure) => Err((lease, failure)),
        }
    }

    async fn guard(&self, target: &RosterTool, output: ToolOutput) -> Result<CallOutput, Error> {
        let (output, guard) = self.runtime.guard(output).await;
        Ok(CallOutput {
            tool: target.reference.clone(),
            name: target.name.clone(),
            output,
            guard,
            duration: self.started.elapsed(),
        })
    }

    fn finish(mut self, outcome: Result<CallOutput, Error>) -> Result<CallOutput, Error> {
        self.ended = true;
        let end = match &outcome {
            Ok(output) if output.output.is_error => CallEnd::ToolError,
            Ok(_) => CallEnd::Done,
            Err(error) => CallEnd::Failed(error.code()),
        };
        self.publish_end(end);
        outcome
    }

    fn publish_end(&self, end: CallEnd) {
        self.runtime.house().publish_call(CallEvent::Finished {
            call: self.id,
            tool: self.target.clone(),
            end,
            duration: self.started.elapsed(),
        });
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.publish_end(CallEnd::Failed(ErrorCode::Cancelled));
        }
    }
}

/// Decides what follows a failed request: a proven expired session is renewed once, all else is the answer.
fn recover(
    target: &RosterTool,
    lease: &Lease,
    failure: &Failure,
    renewed: Option<Epoch>,
) -> Result<Epoch, Error> {
    lease.settle(LeaseOutcome::Failed(failure.class.clone()));
    if matches!(failure.class, FailureClass::SessionExpired) && renewed.is_none() {
        return Ok(lease.epoch());
    }
    if lease.is_unmounted() {
        return Err(explain::unmounted(&target.reference));
    }
    Err(explain::failure(&target.reference, failure))
}

/// How a leased listing differs from what was resolved.
enum Redefinition {
    Changed,
    Gone(ToolRef),
}

fn redefinition(lease: &Lease, target: &RosterTool) -> Option<Redefinition> {
    let ToolKind::Tool(resolved) = &target.kind else { return None };
    let Some(listed) = lease.listing().tools.iter().find(|tool| tool.name() == resolved.name()) else {
        return Some(Redefinition::Gone(target.reference.clone()));
    };
    let same = Arc::ptr_eq(listed, resolved) || listed == resolved || listed.digest() == resolved.digest();
    (!same).then_some(Redefinition::Changed)
}
