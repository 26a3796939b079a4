// What Streamlit cannot do on the server: show an SVG whose texts have hints, scroll several
// drawings together, and make a PNG of them.
export default ({ data, parentElement }) => {
  parentElement.querySelector(".drawing").innerHTML = data.html;
};

if (!window.structparse) {
  window.structparse = true;
  const drawings = () => [...document.querySelectorAll(".parse")];
  // All drawings scroll together.
  document.addEventListener("scroll", ({ target }) => {
    if (!target.matches?.(".parse:hover, .parse:focus")) return;
    const share = target.scrollLeft / (target.scrollWidth - target.clientWidth);
    for (const other of drawings()) {
      if (other !== target) other.scrollLeft = share * (other.scrollWidth - other.clientWidth);
    }
  }, true);
  const image = (svg) => new Promise((resolve) => {
    const drawn = new Image();
    drawn.onload = () => resolve(drawn);
    const text = new XMLSerializer().serializeToString(svg);
    drawn.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  });
  // The button "PNG": the drawings one below the other, on white.
  document.addEventListener("click", async ({ target }) => {
    if (!target.closest(".st-key-png button")) return;
    const images = await Promise.all(drawings().map((one) => image(one.querySelector("svg"))));
    const width = Math.max(...images.map((one) => one.width));
    const scale = Math.min(2, 16000 / width);
    const canvas = document.createElement("canvas");
    canvas.width = scale * width;
    canvas.height = scale * images.reduce((sum, one) => sum + one.height, 0);
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.fillStyle = "white";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    let y = 0;
    for (const one of images) {
      pen.drawImage(one, 0, y);
      y += one.height;
    }
    const link = document.createElement("a");
    link.href = canvas.toDataURL("image/png");
    link.download = "parse.png";
    link.click();
  });
}
