//! Fourier transforms of frames.

use millpond_kernels::{Complex64, Element, map};

use super::expect_shape;
use crate::plan::{Plan, Planned};
use crate::promote::{Category, category};
use crate::require;
use crate::table::Stft;
use crate::tensor::Tensor;

/// The transforms of windows that move along a signal, without padding at its ends.
pub(crate) fn stft(call: Stft<'_>) -> Planned {
    let Stft {
        self_: signal,
        window_optional: window,
        out,
        n_fft,
        hop_length,
        win_length,
        normalized,
        onesided,
        return_complex,
    } = call;
    require!(
        matches!(signal.rank(), 1 | 2),
        "'self' has the shape {:?}: it must be [time] or [batch, time]",
        signal.dims
    );
    let length = signal.dims[signal.rank() - 1];
    require!(
        n_fft > 0 && n_fft <= length && hop_length > 0 && (1..=n_fft).contains(&win_length),
        "'nFft' is {n_fft}, 'hopLength' {hop_length} and 'winLength' {win_length}, but the signal has {length} elements: they must be positive, and \
         windows not longer than 'nFft'"
    );
    require!(
        !onesided || category(signal.element()) <= Category::Float,
        "'self' is complex: its transform has no half that tells the other"
    );
    if let Some(window) = window {
        require!(
            window.dims[..] == [win_length],
            "'window' has the shape {:?}, but must be [{win_length}]",
            window.dims
        );
    }
    let frames = (length - n_fft) / hop_length + 1;
    let bins = if onesided { n_fft / 2 + 1 } else { n_fft };
    let mut dims: Vec<i64> = signal.dims[..signal.rank() - 1].to_vec();
    dims.extend([bins, frames]);
    if !return_complex {
        dims.push(2);
    }
    expect_shape(out, &dims)?;
    require!(
        (category(out.element()) == Category::Complex) == return_complex
            && category(out.element()) >= Category::Float,
        "'out' has the type {}, but must be {}",
        out.element().name(),
        if return_complex { "complex" } else { "real" }
    );
    let mut plan = Plan::new();
    let x = plan.input(signal);
    let given = window.map(|window: &Tensor| plan.input(window));
    let y = plan.output_apart(out);
    let x = plan.contiguous(&x, Element::C128);
    // A window that is shorter lies in the middle.
    let weights = plan.temp(Element::C128, &[n_fft]);
    plan.fill(&weights, 0.0);
    let middle = weights.narrow(0, (n_fft - win_length) / 2, win_length);
    match given {
        Some(given) => plan.copy(&given, &middle),
        None => plan.fill(&middle, 1.0),
    }
    let waves = plan.temp(Element::C128, &[n_fft]);
    let size = |dim: i64| usize::try_from(dim).unwrap_or(0);
    let (n, hop, length, frames, bins) = (
        size(n_fft),
        size(hop_length),
        size(length),
        size(frames),
        size(bins),
    );
    let scale = if normalized {
        1.0 / (n as f64).sqrt()
    } else {
        1.0
    };
    plan.step(move |m| {
        map::generate::<Complex64>(&m.view(&waves), |place| {
            Complex64::cis(-std::f64::consts::TAU * place as f64 / n as f64)
        });
        let (x, weights, waves) = (m.view(&x), m.view(&weights), m.view(&waves));
        let [x, weights, waves] =
            [&x, &weights, &waves].map(|view| view.slice::<Complex64>().unwrap_or_default());
        let value = |number: usize| {
            let (frame, rest) = (number % frames, number / frames);
            let (bin, batch) = (rest % bins, rest / bins);
            let part = &x[batch * length + frame * hop..][..n];
            let terms = part.iter().zip(weights).enumerate();
            let sum: Complex64 = terms
                .map(|(place, (x, weight))| x * weight * waves[bin * place % n])
                .sum();
            sum * scale
        };
        let out = m.view(&y);
        if return_complex {
            map::generate::<Complex64>(&out, value);
        } else {
            map::generate::<f64>(&out, |number| {
                let value = value(number / 2);
                if number % 2 == 0 { value.re } else { value.im }
            });
        }
    });
    plan.done()
}
