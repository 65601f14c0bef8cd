// The multiset of tables without generations: the effect of each call, and whether its answer is
// possible.
//
// Three bits of count for each class.
#define CONTENT(w) (COUNT(w, 1) | COUNT(w, 2) << 3 | COUNT(w, 3) << 6)
#define COPIES(s, f) (((s) >> 3 * ((f)-1)) & 7)
#define COPY(f) (1 << 3 * ((f)-1))

static long after_call(long s, int kind, int f, int said)
{
    if (kind == K_INSERT) return s + COPY(f);
    int there = COPIES(s, f) > 0;
    if (kind == K_ADMIT) return (said == NO) != there ? -1 : there ? s : s + COPY(f);
    if ((said == YES) != there) return -1;
    return kind == K_REMOVE && there ? s - COPY(f) : s;
}

static int is_end(long s, long end) { return s == end; }
