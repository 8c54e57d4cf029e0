import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { applyTheme } from "../shell/theme.ts";
import { MatchPage } from "./match.tsx";
import "../styles/tokens.css";
import "../styles/base.css";
import "./match.css";

applyTheme();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <MatchPage />
  </StrictMode>,
);
