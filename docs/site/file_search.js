// Makes search work in pages opened as files (file:), where browsers allow neither workers nor fetch: the theme's search
// worker runs in a hidden frame, and the index is loaded as a script. On a server this script does nothing.
var __search;
if (location.protocol === "file:") {
  const here = document.currentScript.src;

  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.ready = new Promise((done) => this.frame.addEventListener("load", done, { once: true }));
      window.IFrameWorker = FrameWorker; // tells the theme's worker that it is in a frame
      window.frameWorker = this;
      this.frame.srcdoc =
        "<script>postMessage = (data) => parent.frameWorker.dispatchEvent(new MessageEvent('message', { data }))<\/script>" +
        `<script src="${new URL(url, location)}"><\/script>`;
      document.body.appendChild(this.frame);
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  }
  window.Worker = FrameWorker;

  __search = {
    index: new Promise((done) => {
      const script = document.createElement("script");
      script.src = new URL("../search/search_index.js", here);
      script.onload = () => done(window.searchIndex);
      document.head.appendChild(script);
    }),
  };
}
