//! By what each list can be sorted. The titles are those of the columns on screen.

use super::Tab;
use fw_agent::model::{Edge, Irq, Snapshot, Softirq, Thread};
use std::cmp::Ordering;

/// What a row is sorted by: names upwards, numbers downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Largest first.
    Number(f64),
    /// Alphabetical.
    Name(&'a str),
}

impl Value<'_> {
    /// Which comes first on screen.
    pub fn compare(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => b.total_cmp(a),
            (Value::Name(a), Value::Name(b)) => a.cmp(b),
            (Value::Number(_), Value::Name(_)) => Ordering::Less,
            (Value::Name(_), Value::Number(_)) => Ordering::Greater,
        }
    }
}

/// One way to sort a list.
#[derive(Clone, Copy)]
pub struct Order {
    /// The title of the column.
    pub title: &'static str,
    /// What the row at a place of the window is sorted by.
    pub value: for<'a> fn(&'a Snapshot, usize) -> Value<'a>,
}

macro_rules! orders {
    ($list:ident: $row:ty; $($title:literal => $value:expr),+ $(,)?) => {
        &[$(Order {
            title: $title,
            value: |snapshot, i| {
                let value: for<'a> fn(&'a $row) -> Value<'a> = $value;
                value(&snapshot.$list[i])
            },
        }),+]
    };
}

const IRQS: &[Order] = orders!(irqs: Irq;
    "rate/s" => |i| Value::Number(i.count as f64),
    "handler p99" => |i| Value::Number(i.handler.quantile(0.99) as f64),
    "time" => |i| Value::Number(i.handler.sum_ns as f64),
    "name" => |i| Value::Name(&i.name),
    "IRQ" => |i| Value::Number(-i.irq.map_or(f64::MAX, f64::from)),
);

const THREADS: &[Order] = orders!(threads: Thread;
    "lost/s" => |t| Value::Number(t.latency.sum_ns as f64),
    "wakes/s" => |t| Value::Number(t.wakes as f64),
    "p99" => |t| Value::Number(t.latency.quantile(0.99) as f64),
    "max" => |t| Value::Number(t.latency.max_ns as f64),
    "runq p99" => |t| Value::Number(t.runqueue.quantile(0.99) as f64),
    "cross" => |t| Value::Number(t.cross_cpu_share),
    "thread" => |t| Value::Name(&t.comm),
);

const EDGES: &[Order] = orders!(edges: Edge;
    "lost/s" => |e| Value::Number(e.latency.sum_ns as f64),
    "wakes/s" => |e| Value::Number(e.wakes as f64),
    "p99" => |e| Value::Number(e.latency.quantile(0.99) as f64),
    "cross" => |e| Value::Number(e.cross_cpu_share),
    "cause" => |e| Value::Name(&e.cause.name),
    "thread" => |e| Value::Name(&e.comm),
);

const SOFTIRQS: &[Order] = orders!(softirqs: Softirq;
    "runs/s" => |s| Value::Number(s.count as f64),
    "delay p99" => |s| Value::Number(s.delay.quantile(0.99) as f64),
    "run p99" => |s| Value::Number(s.run.quantile(0.99) as f64),
    "time" => |s| Value::Number(s.run.sum_ns as f64),
    "softirq" => |s| Value::Name(&s.name),
);

/// The orders of a tab's list, the first being the one to start with.
pub fn orders(tab: Tab) -> &'static [Order] {
    match tab {
        Tab::Overview | Tab::Edges => EDGES,
        Tab::Irqs => IRQS,
        Tab::Threads => THREADS,
        Tab::Softirqs => SOFTIRQS,
        Tab::Host => &[],
    }
}
