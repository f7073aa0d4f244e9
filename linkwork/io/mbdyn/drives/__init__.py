"""Cards of drives: functions of time, of other drives, and of the motion."""
