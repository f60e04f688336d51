"use strict";

document.getElementById("popup-out").addEventListener("click", () => {
  window.open("https://evil.test/", "_blank");
});
