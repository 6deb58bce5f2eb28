//! Encodes pictures one after another as an animated GIF.
//!
//! In: screens of one size above their legends, the legend of all of them. Out: the bytes of a GIF that runs
//! for ever. Holds: the same screens give the same bytes; one palette for all frames; a frame holds only the
//! changes since the one before, so memory and file grow with the movement; the ground is drawn once. Not
//! here: drawing (`view`), timing (`cli::draw`).

use std::borrow::Cow;

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use tiny_skia::Pixmap;

use super::palette::{ColourPalette, UNCHANGED};
use super::{colour, draw};
use crate::view::Screen;

/// Most pixels of an animation, all frames together: ten minutes of drawing on a slow machine, and a gigabyte
/// at worst.
pub(in crate::shell) const PIXELS_MAX: u64 = 1_000_000_000;
/// How long the last frame stays beyond its time, hundredths of a second, so that one can see the end.
const HOLD: u16 = 100;

/// An animation under way.
pub(in crate::shell) struct Animation {
    palette: ColourPalette,
    size_px: [u32; 2],
    /// The still parts at the bottom of every frame, drawn; and those of the first frame.
    ground: Option<Pixmap>,
    first_ground: Option<Pixmap>,
    /// Indices of the last frame, row by row.
    last: Vec<u8>,
    frames: Vec<Frame<'static>>,
}

impl Animation {
    /// An animation without frames.
    pub fn new() -> Self {
        let (last, frames) = (Vec::new(), Vec::new());
        Self {
            palette: ColourPalette::new(),
            size_px: [0, 0],
            ground: None,
            first_ground: None,
            last,
            frames,
        }
    }

    /// What lies below everything in the frames to come: the map in the body of a screen, without its frame
    /// and words.
    ///
    /// # Errors
    /// When the memory for its pixels cannot be had.
    pub fn lay_ground(&mut self, screen: &Screen) -> Result<(), String> {
        let mut pixmap = blank([screen.width_px, screen.body_px], screen)?;
        let ground = screen.groups.iter().take_while(|group| group.name != "axes");
        ground.flat_map(|group| &group.primitives).for_each(|part| draw(&mut pixmap, part));
        self.ground = Some(pixmap);
        Ok(())
    }

    /// Adds the body of a screen over the ground, for `delay` hundredths of a second. Cost: its pixels.
    ///
    /// # Errors
    /// When the memory for its pixels cannot be had, or it is not as large as those before.
    pub fn add(&mut self, screen: &Screen, delay: u16) -> Result<(), String> {
        let size = [screen.width_px, screen.body_px];
        if self.frames.is_empty() {
            self.size_px = size;
        } else if self.size_px != size {
            return Err(format!("the frame has {size:?} pixels, the others have {:?}", self.size_px));
        }
        // Everything below the body is cut off.
        let pixmap = over(self.ground.as_ref(), size, screen)?;
        if self.frames.is_empty() {
            self.first_ground.clone_from(&self.ground);
        }
        let pixels = self.indices(&pixmap);
        let frame = match self.frames.last_mut() {
            None => Some(whole(&pixels, self.size_px)),
            Some(before) => {
                let changed = change(&self.last, &pixels, self.size_px);
                match before.delay.checked_add(delay).filter(|_| changed.is_none()) {
                    Some(longer) => {
                        before.delay = longer;
                        None
                    }
                    // A frame lasts eleven minutes at most: a pixel without a change goes on with it.
                    None => Some(changed.unwrap_or_else(|| frame(vec![UNCHANGED], [0, 0], [1, 1]))),
                }
            }
        };
        if let Some(mut frame) = frame {
            frame.delay = delay;
            frame.make_lzw_pre_encoded();
            self.frames.push(frame);
        }
        self.last = pixels;
        Ok(())
    }

    /// The file. `first` is the screen of the first frame with the legend of all of them.
    ///
    /// # Errors
    /// When there is no frame, `first` is not as wide as they are, or the memory cannot be had.
    pub fn finish(mut self, first: &Screen) -> Result<Vec<u8>, String> {
        let size = [first.width_px, first.height_px];
        let pixmap = over(self.first_ground.as_ref(), size, first)?;
        let mut opening = whole(&self.indices(&pixmap), size);
        let Some(begun) = self.frames.first() else { return Err("an animation without frames".to_owned()) };
        if first.width_px != self.size_px[0] || first.body_px != self.size_px[1] {
            return Err("the first frame has changed its size".to_owned());
        }
        opening.delay = begun.delay;
        opening.make_lzw_pre_encoded();
        self.frames[0] = opening;
        if let Some(last) = self.frames.last_mut() {
            last.delay = last.delay.saturating_add(HOLD);
        }
        let side = |pixels: u32| u16::try_from(pixels).map_err(|_| format!("{pixels} pixels a side"));
        let encoder = Encoder::new(Vec::new(), side(size[0])?, side(size[1])?, &self.palette.bytes());
        let mut encoder = encoder.map_err(|error| error.to_string())?;
        let mut written = encoder.set_repeat(Repeat::Infinite);
        for frame in &self.frames {
            written = written.and_then(|()| encoder.write_lzw_pre_encoded_frame(frame));
        }
        written.map_err(|error| error.to_string())?;
        encoder.into_inner().map_err(|error| error.to_string())
    }

    fn indices(&mut self, pixmap: &Pixmap) -> Vec<u8> {
        let palette = &mut self.palette;
        // Every pixel is opaque: the first thing drawn is the background.
        pixmap.data().chunks_exact(4).map(|pixel| palette.index([pixel[0], pixel[1], pixel[2]])).collect()
    }
}

/// A screen over the ground, which takes the place of its backdrop.
fn over(ground: Option<&Pixmap>, size: [u32; 2], screen: &Screen) -> Result<Pixmap, String> {
    let mut pixmap = blank(size, screen)?;
    if let Some(ground) = ground.filter(|ground| ground.width() == size[0] && ground.height() <= size[1]) {
        pixmap.data_mut()[..ground.data().len()].copy_from_slice(ground.data());
    }
    let above = screen.groups.iter().filter(|group| ground.is_none() || group.name != "ground");
    above.flat_map(|group| &group.primitives).for_each(|part| draw(&mut pixmap, part));
    Ok(pixmap)
}

fn blank([width, height]: [u32; 2], screen: &Screen) -> Result<Pixmap, String> {
    let mut pixmap = Pixmap::new(width, height).ok_or("there is no memory for a frame of that size")?;
    pixmap.fill(colour(screen.background));
    Ok(pixmap)
}

fn whole(pixels: &[u8], [width, height]: [u32; 2]) -> Frame<'static> {
    frame(pixels.to_vec(), [0, 0], [width, height])
}

/// What differs from the frame before: the rectangle around it, and in it only what differs. None when
/// nothing does.
fn change(before: &[u8], pixels: &[u8], [width, height]: [u32; 2]) -> Option<Frame<'static>> {
    let across = width as usize;
    let row = |y: u32| y as usize * across..(y as usize + 1) * across;
    let differs = |y: &u32| before[row(*y)] != pixels[row(*y)];
    let (top, bottom) = ((0..height).find(differs)?, (0..height).rev().find(differs)?);
    let (mut left, mut right) = (across, 0);
    for y in top..=bottom {
        let pairs = || before[row(y)].iter().zip(&pixels[row(y)]);
        left = left.min(pairs().position(|(old, new)| old != new).unwrap_or(across));
        right = right.max(pairs().rposition(|(old, new)| old != new).unwrap_or(0));
    }
    let kept = |(old, new): (&u8, &u8)| if old == new { UNCHANGED } else { *new };
    let columns = |y: u32| row(y).start + left..=row(y).start + right;
    let buffer = (top..=bottom).flat_map(|y| before[columns(y)].iter().zip(&pixels[columns(y)]).map(kept));
    let size = [(right - left + 1) as u32, bottom - top + 1];
    Some(frame(buffer.collect(), [left as u32, top], size))
}

/// A frame of indices. Sides are those of a screen, far below what a GIF can hold.
fn frame(buffer: Vec<u8>, [left, top]: [u32; 2], [width, height]: [u32; 2]) -> Frame<'static> {
    Frame {
        left: left as u16,
        top: top as u16,
        width: width as u16,
        height: height as u16,
        buffer: Cow::Owned(buffer),
        transparent: Some(UNCHANGED),
        dispose: DisposalMethod::Keep,
        ..Frame::default()
    }
}

#[cfg(test)]
mod tests;
