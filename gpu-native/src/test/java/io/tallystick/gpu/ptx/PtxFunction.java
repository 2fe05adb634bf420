package io.tallystick.gpu.ptx;

import java.util.List;

/// A kernel or device function, decoded.
///
/// @param parameters in order; the space is `PARAM`
/// @param results at most one
/// @param arguments parameters, results and what the body declares for its calls, by index
/// @param localBytes what a frame has of local memory, with gaps: a multiple of 128
/// @param registers slots that a frame has
/// @param threadsMax the most threads of a block (`.maxntid`)
record PtxFunction(
    String name,
    boolean isKernel,
    List<Variable> parameters,
    List<Variable> results,
    List<Variable> arguments,
    List<Variable> locals,
    long localBytes,
    int registers,
    int threadsMax,
    List<Statement> code) {}
