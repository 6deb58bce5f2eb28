//! Edits of a level's text: patches by span, so that order, layout and comments of its author survive.
