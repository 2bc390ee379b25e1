use std::collections::VecDeque;
use std::mem;

use futures::stream::LocalBoxStream;
use futures::{StreamExt as _, TryStreamExt as _};

use crate::api::{Error, GroupVersionResource, LogOptions, ResourcePath};
use crate::rest::{Config, RestClient, response};
use crate::runtime::Body;

/// Reads the logs of containers line by line; [`RestClient::logs`] gives their bytes.
#[derive(Clone)]
pub struct LogClient {
    client: RestClient,
}

/// A log's lines, without the newline at their ends. Dropping it ends the request.
pub type Lines = LocalBoxStream<'static, Result<String, Error>>;

impl LogClient {
    pub fn for_config(config: &Config) -> Self {
        Self { client: RestClient::for_config(config) }
    }

    pub fn new(client: &RestClient) -> Self {
        Self { client: client.clone() }
    }

    /// The lines of a container's log, as they come. Bytes that are no UTF-8 are replaced, and a line of more than
    /// 64 KiB comes in pieces.
    ///
    /// # Errors
    /// A Status "bad request" when the container is not running yet, or when the pod has several and none is named;
    /// else as any request. Within the lines, an error is the last item: the log broke off.
    pub async fn lines(&self, namespace: &str, pod: &str, options: &LogOptions) -> Result<Lines, Error> {
        let lines = self.open_lines(namespace, pod, options).await?;
        Ok(lines.map_ok(|line| line.text).boxed_local())
    }

    /// The lines, each with whether its end has come.
    pub(super) async fn open_lines(
        &self,
        namespace: &str,
        pod: &str,
        options: &LogOptions,
    ) -> Result<LocalBoxStream<'static, Result<Line, Error>>, Error> {
        let path = ResourcePath::all(GroupVersionResource::core("pods")).in_namespace(namespace).named(pod);
        let response = self.client.logs(&path, options).await?;
        Ok(lines(response.body))
    }
}

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    /// The answer ended before a newline came: more may belong to it.
    pub(super) is_open: bool,
}

fn lines(body: Body) -> LocalBoxStream<'static, Result<Line, Error>> {
    let log = Log { body: Some(body), cutter: LineCutter::default(), ready: VecDeque::new() };
    futures::stream::unfold(log, |mut log| async move { Some((log.next().await?, log)) }).boxed_local()
}

struct Log {
    body: Option<Body>,
    cutter: LineCutter,
    ready: VecDeque<Result<Line, Error>>,
}

impl Log {
    async fn next(&mut self) -> Option<Result<Line, Error>> {
        loop {
            if let Some(line) = self.ready.pop_front() {
                return Some(line);
            }
            let chunk = self.body.as_mut()?.next().await;
            let Self { cutter, ready, .. } = self;
            match chunk {
                Some(Ok(chunk)) => cutter.push(&chunk, &mut |text| ready.push_back(Ok(Line { text, is_open: false }))),
                end => {
                    ready.extend(cutter.finish().map(|text| Ok(Line { text, is_open: true })));
                    ready.extend(end.and_then(Result::err).map(|error| Err(response::interrupted(error))));
                    self.body = None;
                }
            }
        }
    }
}

/// Some programs write a whole dump without a newline.
const LONGEST_LINE: usize = 64 * 1024;

/// Cuts a log's bytes into lines, wherever the bytes are cut.
#[derive(Debug, Default)]
struct LineCutter {
    partial: Vec<u8>,
}

impl LineCutter {
    fn push(&mut self, bytes: &[u8], on_line: &mut dyn FnMut(String)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.partial.extend_from_slice(piece);
            if self.partial.last() == Some(&b'\n') {
                self.partial.pop();
                self.give_all(on_line);
            } else {
                self.give_pieces(on_line);
            }
        }
    }

    /// What came after the last newline.
    fn finish(&mut self) -> Option<String> {
        let rest = mem::take(&mut self.partial);
        (!rest.is_empty()).then(|| String::from_utf8_lossy(&rest).into_owned())
    }

    fn give_all(&mut self, on_line: &mut dyn FnMut(String)) {
        self.give_pieces(on_line);
        on_line(String::from_utf8_lossy(&self.partial).into_owned());
        self.partial.clear();
    }

    /// Gives what is longer than a line may be, so that what stays is not.
    fn give_pieces(&mut self, on_line: &mut dyn FnMut(String)) {
        while self.partial.len() > LONGEST_LINE {
            let end = character_boundary(&self.partial, LONGEST_LINE);
            on_line(String::from_utf8_lossy(&self.partial[..end]).into_owned());
            self.partial.drain(..end);
        }
    }
}

/// The last place at or before `limit` where no UTF-8 sequence is cut.
fn character_boundary(bytes: &[u8], limit: usize) -> usize {
    let is_boundary = |place: &usize| bytes[*place] & 0b1100_0000 != 0b1000_0000;
    // A sequence has four bytes at the most: what goes on for longer is no UTF-8.
    (limit.saturating_sub(3)..=limit).rev().find(is_boundary).unwrap_or(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(pieces: &[&[u8]]) -> Vec<String> {
        let (mut cutter, mut lines) = (LineCutter::default(), Vec::new());
        for piece in pieces {
            cutter.push(piece, &mut |line| lines.push(line));
        }
        lines.extend(cutter.finish());
        lines
    }

    #[test]
    fn lines_are_the_same_at_every_cut() {
        let text = "first\n\nthírd \u{1F980}\r\nlast".as_bytes();
        for cut_at in 0..=text.len() {
            let (head, tail) = text.split_at(cut_at);
            assert_eq!(cut(&[head, b"", tail]), ["first", "", "thírd \u{1F980}\r", "last"], "cut at {cut_at}");
        }
    }

    #[test]
    fn a_newline_at_the_end_makes_no_empty_line_and_other_bytes_are_replaced() {
        assert_eq!(cut(&[b"a\n"]), ["a"]);
        assert_eq!(cut(&[b"a\xffb\n\xe2\x82"]), ["a\u{FFFD}b", "\u{FFFD}"]);
        assert!(cut(&[b""]).is_empty());
    }

    #[test]
    fn a_long_line_comes_in_pieces_that_cut_no_character() {
        let line = format!("{}é{}", "a".repeat(LONGEST_LINE - 1), "b".repeat(2 * LONGEST_LINE));
        let text = format!("{line}\nnext");
        for size in [1000, LONGEST_LINE + 1, text.len()] {
            let pieces: Vec<_> = text.as_bytes().chunks(size).collect();
            let lines = cut(&pieces);
            assert!(lines.iter().all(|line| line.len() <= LONGEST_LINE && !line.contains('\u{FFFD}')));
            assert_eq!((lines.concat(), lines.len()), (format!("{line}next"), 5), "in pieces of {size}");
        }
        let binary = vec![0x80; 3 * LONGEST_LINE];
        assert_eq!(cut(&[&binary]).len(), 3);
    }
}
