//! The live page: its protocol as any tool speaks it, and the page itself in a browser.

mod attacks;
mod browser;
mod brushes;
mod controls;
mod debugger;
mod fields;
mod gestures;
mod hand;
mod page;
mod panels;
mod protocol;
