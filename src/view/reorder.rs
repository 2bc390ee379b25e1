/// Of things that stand at these places, those that need not move to come into the order given: a longest run of
/// ascending places.
pub fn staying(places: &[usize]) -> Vec<bool> {
    // The longest run that ends at each, and what stands before it there.
    let mut runs: Vec<(usize, Option<usize>)> = Vec::with_capacity(places.len());
    let mut last = None;
    for (at, place) in places.iter().enumerate() {
        let before = (0..at).filter(|it| places[*it] < *place).max_by_key(|it| runs[*it].0);
        runs.push((before.map_or(1, |it| runs[it].0 + 1), before));
        if runs[at].0 > last.map_or(0, |it: usize| runs[it].0) {
            last = Some(at);
        }
    }
    let mut stays = vec![false; places.len()];
    while let Some(at) = last {
        stays[at] = true;
        last = runs[at].1;
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_out_of_order_moves() {
        for (places, stays) in [
            (&[] as &[usize], ""),
            (&[0, 1, 2], "yyy"),
            (&[1, 2, 3, 4, 0], "yyyyn"),
            (&[4, 0, 1, 2, 3], "nyyyy"),
            (&[5, 6, 7, 8, 0, 1], "yyyynn"),
            (&[7], "y"),
        ] {
            let told: String = staying(places).into_iter().map(|stays| if stays { 'y' } else { 'n' }).collect();
            assert_eq!(told, stays, "{places:?}");
        }
    }
}
