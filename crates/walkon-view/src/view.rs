//! A level under view: starts and ends its threads.
//!
//! In: a project, the texts to begin with. Out: a running level with its past, its future and its files, for
//! any number of clients. Holds: when it is over, every thread has ended. Not here: their work.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;

use serde_json::json;
use walkon_runtime::game::inputs::Reload;
use walkon_runtime::glam::Vec3;
use walkon_runtime::script::vm::fuel::Signals;

use crate::commands::Doers;
use crate::course::Shared;
use crate::desk::{Desk, DeskProject, Errand};
use crate::forecast::{Forecast, ForecastWish};
use crate::orders::{Order, Ordered, Speed};
use crate::replica::{Replicas, Wish};
use crate::run_record::{RunRecord, RunStart, SharedRecord};
use crate::running::{Running, Ways};
use crate::server::Server;
use crate::stdio;
use crate::trace_lines::LineStore;

/// Stack of threads that run scripts: enough for the deepest Lua, whatever the system's default is.
const STACK_BYTES: usize = 64 << 20;

/// Begins to watch the calls behind some flags, which run on the thread that asks.
pub type WatchCalls = Arc<dyn Fn(Arc<Signals>) -> Box<dyn Any> + Send + Sync>;

/// What a level is viewed with.
pub struct ViewSetup {
    /// The project around it.
    pub project: Arc<dyn DeskProject>,
    /// What the run begins with.
    pub start: RunStart,
    /// Its speed.
    pub speed: Speed,
    /// Whether it runs at once.
    pub is_playing: bool,
    /// Where the lines of a trace of it are kept, where one is written.
    pub trace: Option<Box<dyn LineStore>>,
    /// Flags by which a shell ends a call or the run.
    pub signals: Arc<Signals>,
    /// Asked on each thread that runs scripts, with the flags of their calls: it sees to it that no call
    /// lasts too long, as long as what it returns is kept.
    pub watch: WatchCalls,
    /// Triangles below a graph.
    pub scenery: Vec<[Vec3; 3]>,
}

/// A level under view.
pub struct View {
    doers: Doers,
    signals: Arc<Signals>,
    /// Ends calls of the copies of the level: its past and its future.
    copy_signals: [Arc<Signals>; 2],
    is_over: Arc<AtomicBool>,
    /// That of the level that runs.
    level: Option<JoinHandle<()>>,
    /// All others.
    threads: Vec<JoinHandle<()>>,
}

impl View {
    /// Begins.
    ///
    /// # Errors
    /// A sentence about what is wrong with the level or its scripts, or why there is no thread.
    pub fn begin(setup: ViewSetup) -> Result<Self, String> {
        let ViewSetup { project, start, speed, is_playing, trace, signals, watch, scenery } = setup;
        let shared = Shared {
            file: start.level.path.as_str().into(),
            record: SharedRecord::new(RunRecord::new(start)),
            scenery: Arc::new(scenery),
            ..Shared::default()
        };
        let (running, orders) = channel();
        let (replicas, wishes) = channel();
        let ways = Ways { orders, replicas: replicas.clone(), trace };
        let (forecast, outlooks) = channel();
        let (desk, errands) = channel();
        let doers = Doers { shared: shared.clone(), running, replicas, forecast, desk };
        let copy_signals = [(); 2].map(|()| Arc::new(Signals::default()));
        let (told, begun) = channel();
        let (own, for_level, watch_level) = (shared.clone(), Arc::clone(&signals), Arc::clone(&watch));
        let level = thread("level", move || {
            let watched = watch_level(Arc::clone(&for_level));
            match Running::begin(own, for_level, speed, ways) {
                Ok(mut level) => {
                    let _ = told.send(Ok(()));
                    level.run();
                    drop(watched);
                    level.end();
                }
                Err(error) => _ = told.send(Err(error)),
            }
        })?;
        begun.recv().unwrap_or_else(|_| Err("the level ended before it began".to_owned()))?;
        // A level cannot leave the thread that it was made on.
        let (own, [for_past, for_future]) = (shared.clone(), copy_signals.clone());
        let watch_past = Arc::clone(&watch);
        let mut threads = Vec::new();
        threads.push(thread("past", move || {
            let _watched = watch_past(Arc::clone(&for_past));
            Replicas::new(own, for_past).run(&wishes);
        })?);
        threads.push(thread("future", move || {
            let _watched = watch(Arc::clone(&for_future));
            Forecast::new(shared, for_future).run(&outlooks);
        })?);
        let files = Desk::new(project, doers.clone());
        threads.push(thread("files", move || files.run(&errands))?);
        if is_playing {
            let _ = doers.running.send(Ordered { order: Order::Play, reply: None });
        }
        let level = Some(level);
        Ok(Self { doers, signals, copy_signals, is_over: Arc::default(), level, threads })
    }

    /// Serves the page until the view is over.
    ///
    /// # Errors
    /// When there is no thread for it.
    pub fn serve(&mut self, server: Server) -> Result<(), String> {
        self.is_over = server.over();
        let doers = self.doers.clone();
        self.threads.push(thread("server", move || server.run(&doers))?);
        Ok(())
    }

    /// Speaks on standard input and output, on a thread of its own, until the input ends; then it tells
    /// `is_over`. Nobody waits for that thread, because it waits for input as long as there is none.
    ///
    /// # Errors
    /// Why there is no thread.
    pub fn speak(&self, is_over: Arc<AtomicBool>) -> Result<(), String> {
        let doers = self.doers.clone();
        let speaking = thread("input", move || {
            stdio::run(&doers);
            is_over.store(true, Ordering::Relaxed);
        });
        speaking.map(drop)
    }

    /// A file was saved.
    pub fn saved(&self, saved: Reload) {
        let _ = self.doers.desk.send(Errand::Saved(saved));
    }

    /// Something about the files of the level goes wrong that no edit of a page has caused: every client is
    /// told.
    pub fn warn(&self, text: &str) {
        self.doers.shared.clients.tell(&json!({ "tell": "log", "text": text }));
    }

    /// Ends the run, with the last lines of the trace; the other threads are told to end. The run as it was.
    pub fn end_run(&mut self) -> RunRecord {
        self.is_over.store(true, Ordering::Relaxed);
        self.signals.stop();
        self.copy_signals.iter().for_each(|signals| signals.stop());
        let _ = self.doers.running.send(Ordered { order: Order::Stop, reply: None });
        let _ = self.doers.replicas.send(Wish::Stop);
        let _ = self.doers.forecast.send(ForecastWish::Stop.into());
        let _ = self.doers.desk.send(Errand::Stop);
        // A thread that has panicked is as much at its end.
        let _ = self.level.take().map(JoinHandle::join);
        self.doers.shared.record.now()
    }

    /// Ends everything, and waits for it.
    pub fn end(mut self) {
        self.end_run();
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

fn thread(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, String> {
    let builder = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES);
    builder.spawn(run).map_err(|error| format!("no thread for the {name}: {error}"))
}
