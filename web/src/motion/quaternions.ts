/** Quaternions wxyz in flat arrays, and the angles people read. Nothing here allocates unless it says so. */

/** out[o..o+4] = a[i..i+4] * b[j..j+4]; out may be a or b. */
export function multiply(out: Float32Array, o: number, a: Float32Array, i: number, b: Float32Array, j: number): void {
  const aw = a[i],
    ax = a[i + 1],
    ay = a[i + 2],
    az = a[i + 3];
  const bw = b[j],
    bx = b[j + 1],
    by = b[j + 2],
    bz = b[j + 3];
  out[o] = aw * bw - ax * bx - ay * by - az * bz;
  out[o + 1] = aw * bx + ax * bw + ay * bz - az * by;
  out[o + 2] = aw * by - ax * bz + ay * bw + az * bx;
  out[o + 3] = aw * bz + ax * by - ay * bx + az * bw;
}

/** out[o..o+3] = base[p..p+3] + q[i..i+4] rotating v[k..k+3]. */
export function rotateAdd(
  out: Float32Array,
  o: number,
  base: Float32Array,
  p: number,
  q: Float32Array,
  i: number,
  v: ArrayLike<number>,
  k: number,
): void {
  const w = q[i],
    x = q[i + 1],
    y = q[i + 2],
    z = q[i + 3];
  const vx = v[k],
    vy = v[k + 1],
    vz = v[k + 2];
  const tx = 2 * (y * vz - z * vy);
  const ty = 2 * (z * vx - x * vz);
  const tz = 2 * (x * vy - y * vx);
  out[o] = base[p] + vx + w * tx + y * tz - z * ty;
  out[o + 1] = base[p + 1] + vy + w * ty + z * tx - x * tz;
  out[o + 2] = base[p + 2] + vz + w * tz + x * ty - y * tx;
}

/** out[o..o+4] = the rotation a share of the way from a to b, the short way round, normalised. */
export function blend(
  out: Float32Array,
  o: number,
  a: Float32Array,
  i: number,
  b: Float32Array,
  j: number,
  share: number,
): void {
  const dot = a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2] + a[i + 3] * b[j + 3];
  const s = 1 - share;
  const t = dot < 0 ? -share : share;
  const w = s * a[i] + t * b[j];
  const x = s * a[i + 1] + t * b[j + 1];
  const y = s * a[i + 2] + t * b[j + 2];
  const z = s * a[i + 3] + t * b[j + 3];
  const scale = 1 / (Math.sqrt(w * w + x * x + y * y + z * z) || 1);
  out[o] = w * scale;
  out[o + 1] = x * scale;
  out[o + 2] = y * scale;
  out[o + 3] = z * scale;
}

export const EULER_ORDERS = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"] as const;
/** Intrinsic order: "ZXY" turns about Z, then about the turned X, then about the turned Y (as BVH channels are written). */
export type EulerOrder = (typeof EULER_ORDERS)[number];

const AXIS: Record<string, number> = { X: 0, Y: 1, Z: 2 };

/**
 * Euler angles in degrees of the quaternion at q[i..i+4], written to out[o..o+3] in the order's own sequence.
 *
 * Any three different axes are a cyclic order, or one with a swap; the matrix elements needed follow from the axes' numbers
 * (Shoemake, "Euler angle conversion", Graphics Gems IV, 1994).
 */
export function toEuler(out: Float32Array, o: number, q: Float32Array, i: number, order: EulerOrder): void {
  const first = AXIS[order[0]],
    second = AXIS[order[1]],
    third = AXIS[order[2]];
  const sign = (second - first + 3) % 3 === 1 ? 1 : -1;
  const m = (row: number, column: number): number => element(q, i, row, column);
  const sine = sign * m(first, third);
  const degrees = 180 / Math.PI;
  if (Math.abs(sine) < 0.999999) {
    out[o] = Math.atan2(-sign * m(second, third), m(third, third)) * degrees;
    out[o + 1] = Math.asin(Math.max(-1, Math.min(1, sine))) * degrees;
    out[o + 2] = Math.atan2(-sign * m(first, second), m(first, first)) * degrees;
  } else {
    // Gimbal lock: only the sum or difference of the outer angles is known; the last one is given to the first.
    out[o] = Math.atan2(sign * m(third, second), m(second, second)) * degrees;
    out[o + 1] = sine > 0 ? 90 : -90;
    out[o + 2] = 0;
  }
}

/** Element of the rotation matrix of q[i..i+4]. */
function element(q: Float32Array, i: number, row: number, column: number): number {
  const w = q[i];
  const a = q[i + 1 + row],
    b = q[i + 1 + column];
  if (row === column) {
    const others = q[i + 1 + ((row + 1) % 3)] ** 2 + q[i + 1 + ((row + 2) % 3)] ** 2;
    return 1 - 2 * others;
  }
  const rest = q[i + 1 + (3 - row - column)];
  return (column - row + 3) % 3 === 1 ? 2 * (a * b - w * rest) : 2 * (a * b + w * rest);
}

/** The rotation vector (axis times angle) in degrees of q[i..i+4], written to out[o..o+3]. */
export function toRotationVector(out: Float32Array, o: number, q: Float32Array, i: number): void {
  const sign = q[i] < 0 ? -1 : 1;
  const x = q[i + 1] * sign,
    y = q[i + 2] * sign,
    z = q[i + 3] * sign;
  const sine = Math.sqrt(x * x + y * y + z * z);
  const scale = sine > 1e-8 ? ((2 * Math.atan2(sine, Math.abs(q[i]))) / sine) * (180 / Math.PI) : 360 / Math.PI;
  out[o] = x * scale;
  out[o + 1] = y * scale;
  out[o + 2] = z * scale;
}

/**
 * Makes rows of Euler angles (N, 3) in degrees follow one another without jumps.
 *
 * Every rotation has two triples within a turn, (a, b, c) and (a + 180, 180 - b, c + 180); a bend beyond a right angle changes from
 * one to the other. For each row the nearer one to the row before is taken, and whole turns are added.
 */
export function followEuler(angles: Float32Array): void {
  const near = (value: number, before: number): number => value + 360 * Math.round((before - value) / 360);
  for (let at = 3; at < angles.length; at += 3) {
    const [a, b, c] = [angles[at - 3], angles[at - 2], angles[at - 1]];
    const plain = [near(angles[at], a), near(angles[at + 1], b), near(angles[at + 2], c)];
    const other = [near(angles[at] + 180, a), near(180 - angles[at + 1], b), near(angles[at + 2] + 180, c)];
    const way = (angles: number[]): number => Math.abs(angles[0] - a) + Math.abs(angles[1] - b) + Math.abs(angles[2] - c);
    angles.set(way(other) < way(plain) ? other : plain, at);
  }
}
