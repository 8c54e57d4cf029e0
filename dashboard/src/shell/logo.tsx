export function Logo() {
  return (
    <span className="logo">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" className="logo-ground" />
        <circle cx="12.5" cy="16" r="5.5" />
        <circle cx="19.5" cy="16" r="5.5" />
      </svg>
      Handfast
    </span>
  );
}
