use std::cmp::Ordering;

use super::arena::small;

/// Sorts numbers of rows or texts; those that are equal stay as they stand.
///
/// The one sort of all that a table sorts: each further instance of the library's takes 4 KB of what a visitor
/// downloads.
pub(crate) fn sort_numbers(numbers: &mut [u32], compare: &mut dyn FnMut(u32, u32) -> Ordering) {
    numbers.sort_by(|one, other| compare(*one, *other));
}

/// The numbers from 0 to a length, sorted.
pub(crate) fn sorted_numbers(length: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..small(length)).collect();
    sort_numbers(&mut numbers, &mut |one, other| compare(one as usize, other as usize));
    numbers
}
