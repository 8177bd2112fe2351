"""Names beside the points of a scatter never lie on one another, on a point, on the line or outside the plot."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.charts.labels import _box, _meet, place_labels
from tiltmeter.charts.table import width_of

SIZE = (400, 300)
POINTS = st.lists(
    st.tuples(
        st.integers(0, 100), st.integers(0, 100), st.sampled_from(["nurse", "kindergarten teacher", "护士", "judge"])
    ),
    max_size=40,
)


@given(points=POINTS)
def test_no_name_meets_another_or_a_point_or_the_line_or_the_edge(points: list[tuple[int, int, str]]) -> None:
    sides = place_labels(points, (0, 100), (0, 100), SIZE, 50)
    pixels = [(x / 100 * SIZE[0], (100 - y) / 100 * SIZE[1]) for x, y, _ in points]
    boxes = {
        place: _box(side, *pixels[place], width_of(points[place][2], 10)) for place, side in enumerate(sides) if side
    }
    assert not any(_meet(one, other) for one, other in combinations(boxes.values(), 2))
    for place, (left, top, right, bottom) in boxes.items():
        assert left >= 0
        assert top >= 0
        assert right <= SIZE[0]
        assert bottom <= SIZE[1]
        assert not top < SIZE[1] / 2 < bottom, "struck by the neutral line"
        for number, (x, y) in enumerate(pixels):
            assert number == place or not (left < x < right and top < y < bottom)


def test_the_point_farthest_from_the_trend_is_named_first() -> None:
    """Twenty points on a line so close that their names collide, and one far from it."""
    points = [(50 + place / 10, 50 + place / 10, "one of the many points here") for place in range(20)]
    points.insert(7, (51, 90, "alone"))
    sides = place_labels(points, (0, 100), (0, 100), SIZE, None)
    assert sides[7]
    assert 1 < sum(map(bool, sides)) < 12
