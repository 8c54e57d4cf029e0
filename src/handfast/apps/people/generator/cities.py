"""Cities: where made-up people live. Coordinates are of the centres, weights are rough."""

from typing import NamedTuple


class City(NamedTuple):
    name: str
    country: str
    timezone: str
    latitude: float
    longitude: float
    weight: int  # how many of the people live there, in proportion


CITIES = (
    City("Berlin", "DE", "Europe/Berlin", 52.52, 13.405, 37),
    City("Hamburg", "DE", "Europe/Berlin", 53.551, 9.994, 19),
    City("Munich", "DE", "Europe/Berlin", 48.137, 11.575, 15),
    City("Vienna", "AT", "Europe/Vienna", 48.208, 16.373, 19),
    City("Zurich", "CH", "Europe/Zurich", 47.377, 8.541, 9),
    City("London", "GB", "Europe/London", 51.507, -0.128, 89),
    City("Manchester", "GB", "Europe/London", 53.48, -2.243, 15),
    City("Dublin", "IE", "Europe/Dublin", 53.35, -6.26, 8),
    City("Paris", "FR", "Europe/Paris", 48.857, 2.352, 60),
    City("Lyon", "FR", "Europe/Paris", 45.764, 4.836, 11),
    City("Madrid", "ES", "Europe/Madrid", 40.417, -3.704, 33),
    City("Barcelona", "ES", "Europe/Madrid", 41.387, 2.17, 20),
    City("Lisbon", "PT", "Europe/Lisbon", 38.722, -9.139, 10),
    City("Rome", "IT", "Europe/Rome", 41.903, 12.496, 28),
    City("Warsaw", "PL", "Europe/Warsaw", 52.23, 21.012, 18),
    City("Stockholm", "SE", "Europe/Stockholm", 59.329, 18.069, 12),
    City("Helsinki", "FI", "Europe/Helsinki", 60.17, 24.938, 7),
    City("Istanbul", "TR", "Europe/Istanbul", 41.008, 28.978, 60),
    City("Cairo", "EG", "Africa/Cairo", 30.044, 31.236, 40),
    City("Lagos", "NG", "Africa/Lagos", 6.524, 3.379, 45),
    City("Nairobi", "KE", "Africa/Nairobi", -1.292, 36.822, 20),
    City("Cape Town", "ZA", "Africa/Johannesburg", -33.925, 18.424, 14),
    City("Tehran", "IR", "Asia/Tehran", 35.689, 51.389, 20),
    City("Mumbai", "IN", "Asia/Kolkata", 19.076, 72.878, 70),
    City("Delhi", "IN", "Asia/Kolkata", 28.614, 77.209, 60),
    City("Kathmandu", "NP", "Asia/Kathmandu", 27.717, 85.324, 6),
    City("Singapore", "SG", "Asia/Singapore", 1.352, 103.82, 18),
    City("Tokyo", "JP", "Asia/Tokyo", 35.69, 139.692, 60),
    City("Seoul", "KR", "Asia/Seoul", 37.566, 126.978, 35),
    City("Sydney", "AU", "Australia/Sydney", -33.869, 151.209, 25),
    City("Adelaide", "AU", "Australia/Adelaide", -34.929, 138.601, 7),
    City("Auckland", "NZ", "Pacific/Auckland", -36.85, 174.763, 8),
    City("Honolulu", "US", "Pacific/Honolulu", 21.307, -157.858, 3),
    City("Los Angeles", "US", "America/Los_Angeles", 34.052, -118.244, 55),
    City("Seattle", "US", "America/Los_Angeles", 47.606, -122.332, 18),
    City("Denver", "US", "America/Denver", 39.739, -104.99, 13),
    City("Chicago", "US", "America/Chicago", 41.878, -87.63, 35),
    City("Austin", "US", "America/Chicago", 30.267, -97.743, 14),
    City("New York", "US", "America/New_York", 40.713, -74.006, 80),
    City("Toronto", "CA", "America/Toronto", 43.651, -79.347, 28),
    City("St. John's", "CA", "America/St_Johns", 47.562, -52.713, 2),
    City("Mexico City", "MX", "America/Mexico_City", 19.433, -99.133, 50),
    City("Sao Paulo", "BR", "America/Sao_Paulo", -23.551, -46.633, 60),
    City("Buenos Aires", "AR", "America/Argentina/Buenos_Aires", -34.604, -58.382, 25),
)
