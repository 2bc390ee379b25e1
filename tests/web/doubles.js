// Stands for the network: `fetch` and `WebSocket` of the page, until `restore()`.
(function () {
  const { fetch, WebSocket } = window;
  const double = { requests: [], answers: [], sockets: [], aborted: 0 };

  double.restore = () => Object.assign(window, { fetch, WebSocket });

  window.fetch = (request, init) => {
    const header = (name) => request.headers.get(name);
    double.requests.push({
      url: new URL(request.url).pathname + new URL(request.url).search,
      accept: header("accept"),
      range: header("range"),
      cache: request.cache,
      credentials: request.credentials,
      redirect: request.redirect,
      priority: init.priority ?? "auto",
    });
    const answer = double.answers.shift() ?? { chunks: [], end: "open" };
    if (answer.end === "refused") return Promise.reject(new TypeError("Failed to fetch"));
    return new Promise((resolve, reject) => {
      const body = new ReadableStream({
        start(controller) {
          const text = new TextEncoder();
          for (const chunk of answer.chunks ?? []) controller.enqueue(text.encode(chunk));
          // What a stream holds is lost with an error: the page must have read it.
          if (answer.end === "reset") setTimeout(() => controller.error(new TypeError("network error")), 100);
          else if (answer.end !== "open") controller.close();
          request.signal.addEventListener("abort", () => {
            double.aborted += 1;
            const aborted = new DOMException("The user aborted a request.", "AbortError");
            reject(aborted);
            if (answer.end === "open") controller.error(aborted);
          });
        },
      });
      const { status = 200, headers = {} } = answer;
      setTimeout(() => resolve(new Response(body, { status, headers })), answer.late ?? 0);
    });
  };

  window.WebSocket = class {
    constructor(url, protocols) {
      Object.assign(this, { url, protocols, readyState: 0, protocol: "", binaryType: "blob", sent: [], closes: [] });
      double.sockets.push(this);
    }
    send(data) {
      this.sent.push(typeof data === "string" ? data : Array.from(data));
    }
    close(code) {
      this.closes.push(code ?? 0);
    }
    // What the server does.
    opens(protocol) {
      Object.assign(this, { readyState: 1, protocol });
      this.onopen?.(new Event("open"));
    }
    says(text) {
      this.onmessage?.(new MessageEvent("message", { data: text }));
    }
    saysBytes(bytes) {
      this.onmessage?.(new MessageEvent("message", { data: new Uint8Array(bytes).buffer }));
    }
    ends(code) {
      this.readyState = 3;
      this.onclose?.(new CloseEvent("close", { code }));
    }
  };
  return double;
})();
