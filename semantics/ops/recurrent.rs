//! Recurrent layers: per layer and direction the gates of all steps, as one step here.
//!
//! Work is `2·B·T·(in·gH + h·gH)`, with a projection `2·B·T·H·P` more: PyTorch runs the
//! input's part as one product and the rest step by step, which counts the same.

use super::product;
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::ops::Made;
use crate::tensor::Array;

/// A recurrent layer as its constructor was told.
pub(crate) struct Recurrent<'x> {
    /// `lstm`, `gru`, `rnn`.
    pub(crate) op: &'x str,
    /// Gates of one cell: 4, 3 or 1.
    pub(crate) gates: i64,
    pub(crate) input_size: i64,
    pub(crate) hidden: i64,
    pub(crate) layers: i64,
    pub(crate) directions: i64,
    /// Size of the projection, 0 for none.
    pub(crate) projection: i64,
    pub(crate) batch_first: bool,
    /// All weights and biases in the order of the layers.
    pub(crate) weights: Vec<Array>,
}

impl Recurrent<'_> {
    /// Output and last states of one sequence.
    pub(crate) fn run(
        &self,
        evaluator: &mut Evaluator<'_>,
        input: &Array,
        states: &[Array],
    ) -> Outcome {
        let (steps, batch, batched) = match (&input.shape[..], self.batch_first) {
            ([batch, steps, _], true) | ([steps, batch, _], false) => (*steps, *batch, true),
            ([steps, _], _) => (*steps, 1, false),
            _ => return Err("the input has no steps".into()),
        };
        if input.size_at_end(1) != self.input_size {
            return Err(format!(
                "features of {} where {} are meant",
                input.size_at_end(1),
                self.input_size
            )
            .into());
        }
        let out = if self.projection > 0 {
            self.projection
        } else {
            self.hidden
        };
        let mut work = 0_u64;
        for layer in 0..self.layers {
            let width = if layer == 0 {
                self.input_size
            } else {
                out.checked_mul(self.directions)
                    .ok_or("the work doesn't fit 64 bits")?
            };
            let columns = width
                .checked_add(out)
                .ok_or("the work doesn't fit 64 bits")?;
            let gates = product(&[
                2,
                batch,
                steps,
                columns,
                self.gates,
                self.hidden,
                self.directions,
            ])?;
            let projection = product(&[
                2,
                batch,
                steps,
                self.hidden,
                self.projection,
                self.directions,
            ])?;
            work = work
                .checked_add(gates)
                .and_then(|work| work.checked_add(projection))
                .ok_or("the work doesn't fit 64 bits")?;
        }
        let stacked = self.layers.saturating_mul(self.directions);
        let last = |size: i64| -> Vec<i64> {
            if batched {
                vec![stacked, batch, size]
            } else {
                vec![stacked, size]
            }
        };
        let sizes = [out, self.hidden];
        for (state, size) in states.iter().zip(sizes) {
            if state.shape != last(size) {
                return Err("the state doesn't fit".into());
            }
        }
        let mut shape = input.shape.clone();
        if let Some(size) = shape.last_mut() {
            *size = out
                .checked_mul(self.directions)
                .ok_or("the size doesn't fit")?;
        }
        let mut reads = vec![input];
        reads.extend(states);
        reads.extend(&self.weights);
        let mut made = Made::plain(self.op, &reads, shape, input.dtype).work(work, work);
        made.kind = crate::trace::Kind::Other;
        made.outputs.push((last(out), input.dtype));
        if self.op == "lstm" {
            made.outputs.push((last(self.hidden), input.dtype));
        }
        let ids: Vec<Object> = evaluator
            .make(made)?
            .into_iter()
            .map(Object::Array)
            .collect();
        let states = match &ids[..] {
            [_, hidden] => hidden.clone(),
            [_, hidden, cell] => evaluator.heap.tuple(vec![hidden.clone(), cell.clone()]),
            _ => return Err(Reason::from("the operation gives nothing")),
        };
        let output = ids.into_iter().next().unwrap_or(Object::None);
        Ok(evaluator.heap.tuple(vec![output, states]))
    }
}
