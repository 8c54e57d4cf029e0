import { Icon } from "../parts/icons.tsx";
import { setTheme, useTheme } from "./theme.ts";

export function ThemeToggle() {
  const theme = useTheme();
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      className="icon-button theme-toggle"
      aria-label={`Change to the ${other} theme`}
      onClick={() => setTheme(other)}
    >
      <Icon name={theme === "dark" ? "sun" : "moon"} />
    </button>
  );
}
