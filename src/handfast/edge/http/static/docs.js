// A file of its own: the page's policy allows no script inside it.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  tryItOutEnabled: true,
  // The operator's token is gone when the page is left or loaded again.
  persistAuthorization: false,
});
localStorage.removeItem("authorized"); // where an older version of this page kept it
